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
	MetaStale     = "_cache_stale_ms" // how long the entry is kept after its time, if at all
	MetaToken     = "_cache_token"    // of the lease under which it was stored, if any

	// TypeActionResult is the type of entries where Options say no other,
	// TypeLLMResponse that of the answers of models.
	TypeActionResult = "action_result"
	TypeLLMResponse  = "llm_response"
	// TypeActionFailure is the type of stored failures; see Policy.NegativeTTL.
	TypeActionFailure = "action_failure"
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
		Key: k, Value: e.Value, CreatedAt: createdAt(e), ExpiresAt: freshUntil(e),
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

// record is what is to be stored of a call.
type record struct {
	kind        string // the MetaType
	ttl, window time.Duration
	value       value.Value
	size        int // of value as JSON
	took        time.Duration
}

// newRecord returns the record of a result.
func (c *Cache) newRecord(l *call, v value.Value, size int, took time.Duration) record {
	window := max(l.window, l.policy.staleWindow())
	if l.policy.TTL == Never {
		window = 0
	}
	return record{kind: c.entryType, ttl: l.policy.TTL, window: window, value: v, size: size, took: took}
}

// metadata returns what is stored beside the value.
func (r *record) metadata(l *call, created, freshUntil time.Time) value.Value {
	material := make(Material, len(l.id.parts))
	for i, p := range l.id.parts {
		material[i] = p.component()
	}
	end := value.Null()
	if !freshUntil.IsZero() {
		end = value.String(FormatTime(freshUntil))
	}
	members := []value.Member{
		value.M(MetaType, value.String(r.kind)),
		value.M(MetaKey, value.String(l.id.text)),
		value.M(MetaCreatedAt, value.String(FormatTime(created))),
		value.M(MetaExpiresAt, end),
		value.M(MetaAction, value.String(l.req.Action)),
		value.M(MetaMaterial, material.value()),
		value.M(MetaSize, value.Int(int64(r.size))),
		value.M(MetaDuration, value.Int(r.took.Milliseconds())),
	}
	if r.window > 0 {
		members = append(members, value.M(MetaStale, value.Int(r.window.Milliseconds())))
	}
	if l.lease != nil {
		members = append(members, value.M(MetaToken, value.Int(l.lease.Token())))
	}
	if l.req.Cost != nil && r.kind != TypeActionFailure {
		if cost, ok := l.req.Cost(r.value); ok {
			members = append(members, value.M(MetaCost, value.Float(cost)))
		}
	}
	return value.Object(members...)
}
