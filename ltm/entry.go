package ltm

import (
	"time"
	"unicode/utf8"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// The limits of an entry.
const (
	MaxKeyBytes      = 64 << 10  // of a key, and of a namespace
	MaxMetadataBytes = 1 << 20   // of the metadata as JSON
	MaxValueBytes    = 512 << 20 // of the value as JSON
)

// Entry is what is stored under a key. Times are exact to the millisecond, in
// UTC.
type Entry struct {
	Namespace  string
	Key        string
	Value      value.Value
	Metadata   value.Value // an object
	CreatedAt  time.Time
	UpdatedAt  time.Time
	AccessedAt time.Time // of Touch, else UpdatedAt
	ExpiresAt  time.Time // zero is never
	Revision   int64     // another one after each Put, never one that was there before
	Size       int64     // bytes that the value takes in the store
	Score      float64   // in results of a text search; higher is better
}

// Expired tells whether the entry has expired at now: from the instant
// ExpiresAt on.
func (e *Entry) Expired(now time.Time) bool {
	return !e.ExpiresAt.IsZero() && now.UnixMilli() >= e.ExpiresAt.UnixMilli()
}

// key checks a key of this view.
func (m *Memory) key(key string) (driver.Key, error) {
	switch {
	case key == "":
		return driver.Key{}, invalid("the key is empty")
	case len(key) > MaxKeyBytes:
		return driver.Key{}, invalid("the key has %d bytes, more than %d", len(key), MaxKeyBytes)
	case !utf8.ValidString(key):
		return driver.Key{}, invalid("the key is not valid UTF-8")
	}
	if err := checkNamespace(m.namespace); err != nil {
		return driver.Key{}, err
	}
	return driver.Key{Space: m.space, Namespace: m.namespace, Key: key}, nil
}

func checkNamespace(name string) error {
	switch {
	case name == "*":
		return invalid(`"*" is no namespace to store in; a search takes all namespaces with AllNamespaces`)
	case len(name) > MaxKeyBytes:
		return invalid("the namespace has %d bytes, more than %d", len(name), MaxKeyBytes)
	case !utf8.ValidString(name):
		return invalid("the namespace is not valid UTF-8")
	}
	return nil
}

// record returns what is to be stored.
func (m *Memory) record(key string, v value.Value, o *PutOptions) (driver.Record, error) {
	k, err := m.key(key)
	if err != nil {
		return driver.Record{}, err
	}
	r := driver.Record{Key: k, UpdatedAt: m.now().UnixMilli()}
	if r.ExpiresAt, err = o.expiry(r.UpdatedAt); err != nil {
		return driver.Record{}, err
	}
	if r.Metadata, err = encodeMetadata(o.Metadata); err != nil {
		return driver.Record{}, err
	}
	data, err := encode(v, "the value", MaxValueBytes)
	if err != nil {
		return driver.Record{}, err
	}
	if k.Space == driver.User {
		r.Terms = indexed(key, v, o.Metadata)
	}
	r.Value = seal(&r, data)
	return r, nil
}

// expiry returns when an entry put at now expires.
func (o *PutOptions) expiry(now int64) (int64, error) {
	switch {
	case o.TTL < 0:
		return 0, invalid("the TTL %v is negative", o.TTL)
	case o.TTL > 0 && !o.ExpiresAt.IsZero():
		return 0, invalid("both a TTL and a time of expiry are given")
	case o.TTL > 0:
		return now + int64((o.TTL+time.Millisecond-1)/time.Millisecond), nil
	case o.ExpiresAt.IsZero():
		return 0, nil
	case o.ExpiresAt.UnixMilli() <= 0:
		return 0, invalid("the time of expiry %v is before 1970", o.ExpiresAt)
	}
	return o.ExpiresAt.UnixMilli(), nil
}

func encodeMetadata(v value.Value) ([]byte, error) {
	if v.IsNull() {
		return []byte("{}"), nil
	}
	if v.Kind() != value.KindObject {
		return nil, invalid("the metadata is %s, not object", v.Kind())
	}
	return encode(v, "the metadata", MaxMetadataBytes)
}

// encode returns the canonical JSON of what can be read back.
func encode(v value.Value, what string, limit int) ([]byte, error) {
	if deeper(v, value.MaxDepth) {
		return nil, invalid("%s is nested deeper than %d", what, value.MaxDepth)
	}
	data, err := v.Canonical()
	if err != nil {
		return nil, invalid("%s cannot be stored: %w", what, err)
	}
	if len(data) > limit {
		return nil, invalid("%s has %d bytes, more than %d", what, len(data), limit)
	}
	return data, nil
}

// deeper tells whether lists and objects nest deeper than limit.
func deeper(v value.Value, limit int) bool {
	switch v.Kind() {
	case value.KindList:
		for _, item := range v.Items() {
			if limit == 0 || deeper(item, limit-1) {
				return true
			}
		}
		return limit == 0
	case value.KindObject:
		for _, member := range v.Members() {
			if limit == 0 || deeper(member, limit-1) {
				return true
			}
		}
		return limit == 0
	default:
		return false
	}
}
