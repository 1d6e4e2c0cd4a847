package cache

import (
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// The metadata of an entry.
const (
	MetaType      = "_cache_type"
	MetaKey       = "_cache_key"
	MetaCreatedAt = "_cache_created_at"
	MetaExpiresAt = "_cache_expires_at" // null: never
	MetaAction    = "_cache_action"
	MetaMaterial  = "_cache_material" // {name: {digest, preview}}
	MetaSize      = "size"            // bytes of the value as JSON
	MetaDuration  = "duration_ms"     // of the original call
	MetaCost      = "cost"            // of the original call; absent if unknown
	MetaRevision  = "revision"        // of the store; only when read

	// TypeActionResult is the type of entries where Options say no other,
	// TypeLLMResponse that of the answers of models.
	TypeActionResult = "action_result"
	TypeLLMResponse  = "llm_response"
)

// timeFormat is RFC 3339 in UTC with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z"

// FormatTime returns t as it stands in metadata and results, such as
// 2026-02-22T10:00:00.000Z.
func FormatTime(t time.Time) string { return t.UTC().Format(timeFormat) }

// Entry is a stored result.
type Entry struct {
	Key       Key
	Value     value.Value
	Action    string // whose result it is
	CreatedAt time.Time
	ExpiresAt time.Time // zero: never
	Duration  time.Duration
	Size      int64 // bytes of the value as JSON
	Revision  int64 // another one after each change
	Material  Material
	Metadata  value.Value // all of it, as cache.get shows it
}

// Expired tells whether the entry's time is over at now.
func (e *Entry) Expired(now time.Time) bool { return over(e.ExpiresAt, now) }

// entryOf reads a stored entry.
func entryOf(k Key, e *ltm.Entry) *Entry {
	size, _ := e.Metadata.At(MetaSize).AsInt()
	return &Entry{
		Key: k, Value: e.Value, CreatedAt: createdAt(e), ExpiresAt: e.ExpiresAt,
		Action:   e.Metadata.At(MetaAction).Text(),
		Duration: duration(e),
		Size:     size, Revision: e.Revision,
		Material: materialOf(e.Metadata.At(MetaMaterial)),
		Metadata: e.Metadata.With(MetaRevision, value.Int(e.Revision)),
	}
}

// createdAt returns when an entry was stored.
func createdAt(e *ltm.Entry) time.Time {
	created, err := time.Parse(timeFormat, e.Metadata.At(MetaCreatedAt).Text())
	if err != nil {
		return e.UpdatedAt
	}
	return created
}

// duration returns how long the original call took.
func duration(e *ltm.Entry) time.Duration {
	ms, _ := e.Metadata.At(MetaDuration).AsInt()
	return time.Duration(ms) * time.Millisecond
}

// metadata returns what is stored beside a result.
func (c *Cache) metadata(l *call, created, expires time.Time, size int, took time.Duration, result value.Value) value.Value {
	material := make(Material, len(l.id.parts))
	for i, p := range l.id.parts {
		material[i] = p.component()
	}
	end := value.Null()
	if !expires.IsZero() {
		end = value.String(FormatTime(expires))
	}
	members := []value.Member{
		value.M(MetaType, value.String(c.entryType)),
		value.M(MetaKey, value.String(l.id.text)),
		value.M(MetaCreatedAt, value.String(FormatTime(created))),
		value.M(MetaExpiresAt, end),
		value.M(MetaAction, value.String(l.req.Action)),
		value.M(MetaMaterial, material.value()),
		value.M(MetaSize, value.Int(int64(size))),
		value.M(MetaDuration, value.Int(took.Milliseconds())),
	}
	if l.req.Cost != nil {
		if cost, ok := l.req.Cost(result); ok {
			members = append(members, value.M(MetaCost, value.Float(cost)))
		}
	}
	return value.Object(members...)
}
