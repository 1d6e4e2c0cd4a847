package redisltm

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// The keys of a store with the prefix tea. The number in them is that of the first
// format that named them so; the first key has its name for ever.
//
//	{tea}:store             a hash: format, revision (the change counter), wordless
//	{tea}:1:index:SPACE     a sorted set, all of score 0: the index of a space
//	{tea}:1:row:SPACE:ID    a hash: a record
//	{tea}:1:terms:SPACE:ID  a string: the terms that a record is found by
//	{tea}:1:word:SPACE:ID   a hash: where a word is; here the ID ends with the word
//
// An ID is the namespace, in which NUL is written as NUL 0xff, then NUL 0x01,
// then the key: IDs sort as namespace and key do. A row has the fields h
// (created, updated, accessed, expires, revision, size), m (metadata), v (value)
// and i: its heads, each a letter and eight bytes. For each head H the index has a
// member H+ID, and one more that is "k"+ID. By the letter of the head:
//
//	c u a e  the times; the bytes sort as the times do; no e without an expiry
//	m        eight bytes of a digest of a path in the metadata and the value there
//	o        no metadata is indexed, there is too much or it is damaged
//
// The heads of c, u and a come first, in this order.
//
// The fields of a word's hash are the keys of the namespace's records that hold it;
// the values are empty. Records with too many words stand under the empty one
// instead, and are looked at in every search. Terms have no TTL: they outlive their
// row, and tell from which words its key has to be taken. (Members of the index
// would do as well, but a small hash takes less than half the memory and time.)
//
// Format 1 knew no words, and all else as it is. The first program of format 2 that
// changes such a store leaves its rows as they are and notes in wordless the
// revision up to which rows may have come from a program that knew no words. Until
// none of them is left a search by words has to read all entries: see worded. From
// then on programs of format 1 are refused, so that no more of them come.
const (
	formatVersion = 2
	namesVersion  = 1
)

const (
	laneKey      = "k"
	laneCreated  = "c"
	laneUpdated  = "u"
	laneAccessed = "a"
	laneExpires  = "e"
	laneMeta     = "m"
	laneOther    = "o"

	headSize = 9
	// last follows every byte of UTF-8 text.
	last = "\xff"
)

// layout names the keys of a store.
type layout struct{ prefix string }

func (l layout) store() string { return "{" + l.prefix + "}:store" }

func (l layout) name(kind string, space driver.Space) string {
	return fmt.Sprintf("{%s}:%d:%s:%d", l.prefix, namesVersion, kind, uint8(space))
}

func (l layout) index(space driver.Space) string { return l.name("index", space) }

// rows is what the names of all rows of a space begin with.
func (l layout) rows(space driver.Space) string { return l.name("row", space) + ":" }

// word is the name of the hash that tells where a word is.
func (l layout) word(space driver.Space, namespace, word string) string {
	return l.name("word", space) + ":" + idOf(namespace, word)
}

func (l layout) row(k driver.Key) string { return l.rows(k.Space) + idOf(k.Namespace, k.Key) }

// escape writes a namespace, or the beginning of one, as IDs begin.
func escape(namespace string) string { return strings.ReplaceAll(namespace, "\x00", "\x00\xff") }

// unescape is the reverse of escape.
func unescape(text string) string { return strings.ReplaceAll(text, "\x00\xff", "\x00") }

func idOf(namespace, key string) string { return escape(namespace) + "\x00\x01" + key }

// keyOf is the reverse of idOf.
func keyOf(space driver.Space, id string) (driver.Key, bool) {
	namespace, key, ok := strings.Cut(id, "\x00\x01")
	return driver.Key{
		Space: space, Namespace: unescape(namespace), Key: key,
	}, ok
}

// timeHead returns the head of a time.
func timeHead(lane string, at int64) string {
	b := append(make([]byte, 0, headSize), lane...)
	return string(binary.BigEndian.AppendUint64(b, uint64(at)^1<<63))
}

// split returns head and ID of a member of the index.
func split(member string) (head, id string) {
	n := headSize
	if strings.HasPrefix(member, laneKey) {
		n = len(laneKey)
	}
	n = min(n, len(member))
	return member[:n], member[n:]
}

// lane returns the letter of the heads by which an order goes.
func lane(o driver.Order) string {
	switch o {
	case driver.ByCreated:
		return laneCreated
	case driver.ByUpdated:
		return laneUpdated
	case driver.ByAccessed:
		return laneAccessed
	case driver.ByExpiry:
		return laneExpires
	default:
		return laneKey
	}
}

// readTimes reads the field h of a row into r.
func readTimes(r *driver.Record, h string) error {
	parts := strings.Split(h, " ")
	into := []*int64{&r.CreatedAt, &r.UpdatedAt, &r.AccessedAt, &r.ExpiresAt, &r.Revision, &r.Size}
	if len(parts) != len(into) {
		return fmt.Errorf("%w: the row of %q is damaged", driver.ErrCorrupt, r.Key.Key)
	}
	for i, p := range parts {
		n, err := strconv.ParseInt(p, 10, 64)
		if err != nil {
			return fmt.Errorf("%w: the row of %q is damaged", driver.ErrCorrupt, r.Key.Key)
		}
		*into[i] = n
	}
	return nil
}
