package redisltm

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// maxMeta is how many values of a record's metadata are indexed at most.
const maxMeta = 64

// heads returns the heads of a record that is put, joined: see layout.
func heads(r *driver.Record) string {
	var b strings.Builder
	for _, lane := range []string{laneCreated, laneUpdated, laneAccessed} {
		b.WriteString(timeHead(lane, r.UpdatedAt))
	}
	if r.ExpiresAt != 0 {
		b.WriteString(timeHead(laneExpires, r.ExpiresAt))
	}
	for _, h := range metaHeads(r.Metadata) {
		b.WriteString(h)
	}
	return b.String()
}

// metaHeads returns the heads of metadata.
func metaHeads(metadata []byte) []string {
	if string(metadata) == "{}" {
		return nil
	}
	v, err := value.Parse(metadata)
	var all []string
	if err == nil {
		all, err = appendHeads(nil, nil, v)
	}
	if err != nil || len(all) > maxMeta {
		return []string{otherHead()}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// otherHead marks records whose metadata is not indexed.
func otherHead() string { return laneOther + strings.Repeat("\x00", headSize-1) }

// appendHeads appends the heads of the values in v that are indexed, and more
// than maxMeta of them only if there are more.
func appendHeads(dst []string, path []string, v value.Value) ([]string, error) {
	if v.Kind() != value.KindObject {
		head, ok, err := metaHead(path, v)
		if ok {
			dst = append(dst, head)
		}
		return dst, err
	}
	for key, member := range v.Members() {
		var err error
		if dst, err = appendHeads(dst, append(path, key), member); err != nil || len(dst) > maxMeta {
			return dst, err
		}
	}
	return dst, nil
}

// metaHead returns the head of a value at a path. Lists, objects and floats have
// none; of the other kinds equal values have equal heads.
func metaHead(path []string, v value.Value) (head string, ok bool, err error) {
	switch v.Kind() {
	case value.KindString, value.KindInt, value.KindBool, value.KindNull:
	default:
		return "", false, nil
	}
	sum, err := v.Digest()
	if err != nil {
		return "", false, err
	}
	b := make([]byte, 0, 128)
	for _, key := range path {
		b = binary.AppendUvarint(b, uint64(len(key)))
		b = append(b, key...)
	}
	digest := sha256.Sum256(append(b, sum[:]...))
	return laneMeta + string(digest[:headSize-1]), true, nil
}

// filterHeads returns the heads of which a record that fulfils f has one, or
// false when the index does not tell.
func filterHeads(f *driver.Filter) ([]string, bool) {
	wanted := []value.Value{f.Value}
	switch f.Op {
	case driver.Eq:
	case driver.In:
		wanted = wanted[:0]
		for _, v := range f.Value.Items() {
			wanted = append(wanted, v)
		}
	default:
		return nil, false
	}
	if len(wanted) > maxMeta {
		return nil, false
	}
	found := make([]string, len(wanted))
	for i, v := range wanted {
		head, ok, err := metaHead(f.Path, v)
		if !ok || err != nil {
			return nil, false
		}
		found[i] = head
	}
	slices.Sort(found)
	return slices.Compact(found), true
}
