package firestoreltm

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// A store in the collection C of a database is the document C/store, with the
// field format, and its collections:
//
//	tea_SPACE   a document for each record, named by a digest of its key
//	tea_parts   what does not fit into these, as DIGEST.SPACE.NUMBER
//
// A part has the fields data, expires and writes. A record has these, all of
// them always, or emulators would keep the old ones:
//
//	namespace, key          as they are
//	value, metadata, terms  bytes and texts; null where they are in parts, joined
//	parts                   how many there are; 0 is none
//	size, metadata_size     in bytes, of the value and of the metadata
//	by_key                  the place in the order of keys: see position
//	by_created, by_updated  a time, then by_key
//	by_expiry               the same, or an empty text without an expiry
//	scope                   a digest of the namespace
//	tokens                  digests of words, and of values in the metadata
//	expires                 a timestamp, for a TTL policy, or null
//	writes                  grows with each put, so that each changes the document
//	rank                    among the records of the same commit
const formatVersion = 1

const (
	storeID     = "store"
	formatField = "format"
	partsName   = "tea_parts"

	fieldNamespace = "namespace"
	fieldKey       = "key"
	fieldValue     = "value"
	fieldMetadata  = "metadata"
	fieldTerms     = "terms"
	fieldParts     = "parts"
	fieldSize      = "size"
	fieldMetaSize  = "metadata_size"
	fieldByKey     = "by_key"
	fieldByCreated = "by_created"
	fieldByUpdated = "by_updated"
	fieldByExpiry  = "by_expiry"
	fieldScope     = "scope"
	fieldTokens    = "tokens"
	fieldExpires   = "expires"
	fieldWrites    = "writes"
	fieldRank      = "rank"
	fieldData      = "data"
)

// store is the name of the document that all others are below of.
func (c *config) store() string { return c.path() + "/documents/" + c.collection + "/" + storeID }

func (c *config) spaceName(s driver.Space) string { return "tea_" + s.String() }

// name returns the name of a record's document.
func (c *config) name(k driver.Key) string {
	return c.store() + "/" + c.spaceName(k.Space) + "/" + digest(k)
}

// part returns the name of the document of a part.
func (c *config) part(k driver.Key, n int) string {
	return fmt.Sprintf("%s/%s/%s.%s.%d", c.store(), partsName, digest(k), k.Space, n)
}

// digest names a record in its space: names of documents are short and spread
// evenly, keys need not be.
func digest(k driver.Key) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d:%s%s", len(k.Namespace), k.Namespace, k.Key) // a hash takes all
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil))
}

const (
	// maxPosition is how long a position is at most. Firestore indexes 1,500
	// bytes of a text; the time before it takes timeDigits.
	maxPosition = 1400
	timeDigits  = 16
	// past sorts after all that may follow the beginning of a position, next
	// before it.
	past = "\x7f\x7f"
	next = "\x01"
)

// ordered writes a text so that what it becomes sorts as the text does by its
// bytes, whether it is compared by bytes or by UTF-16, and holds no NUL.
func ordered(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c <= 1:
			b.WriteByte(1)
			b.WriteByte(c + 2)
		case c >= 0x7f:
			b.WriteByte(0x7f)
			b.WriteByte(c - 0x7e)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// within begins the positions of a namespace.
func within(namespace string) string { return ordered(namespace) + "\x01\x01" }

// position returns by what a record is sorted. Where it is as long as positions
// may be, other records may have the same.
func position(namespace, key string) string { return cut(within(namespace)+ordered(key), maxPosition) }

func cut(s string, n int) string { return s[:min(len(s), n)] }

// timed writes a time so that it sorts.
func timed(at int64) string { return fmt.Sprintf("%0*x", timeDigits, uint64(at)^1<<63) }

// timeOf is the reverse of timed, for what begins with it.
func timeOf(s string) (int64, error) {
	n, err := strconv.ParseUint(cut(s, timeDigits), 16, 64)
	return int64(n ^ 1<<63), err
}

// orderField returns the field by which an order goes. A record is not touched
// when it is read, so that it was accessed is that it was updated.
func orderField(o driver.Order) string {
	switch o {
	case driver.ByCreated:
		return fieldByCreated
	case driver.ByUpdated, driver.ByAccessed:
		return fieldByUpdated
	case driver.ByExpiry:
		return fieldByExpiry
	default:
		return fieldByKey
	}
}

const (
	// maxWords and maxMeta are how many tokens of a kind a record has at most,
	// of the 40,000 entries that an index takes of a document.
	maxWords = 4000
	maxMeta  = 64
	// manyWords and manyMeta stand in for them where there are more.
	manyWords = "*words"
	manyMeta  = "*metadata"
)

// token returns a digest of what a record of a namespace is found by. Two
// things may have the same: what is found is compared with what was asked for.
func token(namespace, lane, content string) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d:%s%s:%s", len(namespace), namespace, lane, content) // a hash takes all
	return base64.RawStdEncoding.EncodeToString(h.Sum(nil)[:9])
}

func wordToken(namespace, word string) string { return token(namespace, "w", word) }

// metaToken returns the token of a value at a path. Lists, objects and floats
// have none; of the other kinds equal values have equal tokens.
func metaToken(namespace string, path []string, v value.Value) (string, bool) {
	switch v.Kind() {
	case value.KindString, value.KindInt, value.KindBool, value.KindNull:
	default:
		return "", false
	}
	sum, err := v.Digest()
	if err != nil {
		return "", false
	}
	b := make([]byte, 0, 128)
	for _, key := range path {
		b = binary.AppendUvarint(b, uint64(len(key)))
		b = append(b, key...)
	}
	return token(namespace, "m", string(append(b, sum[:]...))), true
}

// tokens returns all tokens of a record.
func tokens(r *driver.Record) []string {
	found := map[string]bool{}
	if meta, err := value.Parse(r.Metadata); err != nil || !addMeta(found, r.Key.Namespace, nil, meta) {
		clear(found)
		found[manyMeta] = true
	}
	words := map[string]bool{}
	for word := range strings.FieldsSeq(r.Terms) {
		words[wordToken(r.Key.Namespace, word)] = true
		if len(words) > maxWords {
			clear(words)
			words[manyWords] = true
			break
		}
	}
	all := make([]string, 0, len(found)+len(words))
	for t := range found {
		all = append(all, t)
	}
	for t := range words {
		all = append(all, t)
	}
	return all
}

// addMeta adds the tokens of the values in v, and tells whether there are not
// too many.
func addMeta(found map[string]bool, namespace string, path []string, v value.Value) bool {
	if v.Kind() != value.KindObject {
		if t, ok := metaToken(namespace, path, v); ok {
			found[t] = true
		}
		return len(found) <= maxMeta
	}
	for key, member := range v.Members() {
		if !addMeta(found, namespace, append(path, key), member) {
			return false
		}
	}
	return true
}
