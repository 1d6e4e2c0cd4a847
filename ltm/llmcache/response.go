package llmcache

import (
	"encoding/base64"
	"math"
	"time"
	"unicode/utf8"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// Response is the whole, successful answer to a call.
type Response struct {
	// Result is what the caller gets.
	Result value.Value
	// Raw is the provider's answer, byte for byte; nil if there is none.
	Raw []byte
	// Chunks are the pieces in which a stream arrived; nil if it was none.
	Chunks []Chunk
	// Usage has prompt_tokens, completion_tokens and total_tokens as far as
	// they are known.
	Usage value.Value
	// CostUSD is what the call cost in US dollars, if Priced.
	CostUSD float64
	Priced  bool
}

// Chunk is one piece of a stream.
type Chunk struct {
	Data  value.Value
	After time.Duration // since the call began
}

// Entry is a stored answer.
type Entry struct {
	Key             string
	Provider, Model string
	Response
	Duration time.Duration // of the original call
	// Request is the identity of the call, with secrets masked. It stands
	// beside the answer in the store, as most requests are longer than the
	// answer: only Inspect reads it.
	Request value.Value
	Usefulness
}

// Usefulness is what an entry went through.
type Usefulness struct {
	CachedAt  time.Time
	LastHitAt time.Time // zero: it never was
	HitCount  int64
	Pinned    bool // never evicted
}

// The members of a stored value.
const (
	fieldProvider  = "provider"
	fieldModel     = "model"
	fieldResult    = "result"
	fieldRaw       = "raw"        // as a string, when it is UTF-8
	fieldRawBase64 = "raw_base64" // when it is not
	fieldChunks    = "chunks"     // [[nanoseconds, data]]
	fieldUsage     = "usage"
	fieldCost      = "cost_usd"
	fieldDuration  = "duration_ns"
)

// encode returns the answer as it is stored.
func (e *Entry) encode() value.Value {
	members := []value.Member{
		value.M(fieldProvider, value.String(e.Provider)),
		value.M(fieldModel, value.String(e.Model)),
		value.M(fieldResult, e.Result),
		value.M(fieldUsage, e.Usage),
		value.M(fieldDuration, value.Int(int64(e.Duration))),
	}
	switch {
	case e.Raw == nil:
	case utf8.Valid(e.Raw):
		members = append(members, value.M(fieldRaw, value.String(string(e.Raw))))
	default:
		members = append(members, value.M(fieldRawBase64, value.String(base64.StdEncoding.EncodeToString(e.Raw))))
	}
	if e.Chunks != nil {
		chunks := make([]value.Value, len(e.Chunks))
		for i, c := range e.Chunks {
			chunks[i] = value.List(value.Int(int64(c.After)), c.Data)
		}
		members = append(members, value.M(fieldChunks, value.List(chunks...)))
	}
	if e.Priced && !math.IsNaN(e.CostUSD) && !math.IsInf(e.CostUSD, 0) {
		members = append(members, value.M(fieldCost, value.Float(e.CostUSD)))
	}
	if cache.Failed(e.Result) {
		// Package cache then sees a result of a call that failed.
		members = append(members, value.M("success", value.Bool(false)))
	}
	return value.Object(members...)
}

// decode reads what encode made, and tells whether it is that.
func (e *Entry) decode(v value.Value) bool {
	var ok bool
	if e.Result, ok = v.Get(fieldResult); !ok {
		return false
	}
	e.Provider, e.Model = v.At(fieldProvider).Text(), v.At(fieldModel).Text()
	e.Usage = v.At(fieldUsage)
	e.CostUSD, e.Priced = v.At(fieldCost).AsFloat()
	nanoseconds, _ := v.At(fieldDuration).AsInt()
	e.Duration = time.Duration(nanoseconds)
	e.Chunks = decodeChunks(v)
	e.Raw, ok = decodeRaw(v)
	return ok
}

func decodeRaw(v value.Value) (raw []byte, ok bool) {
	if text, found := v.Get(fieldRaw); found {
		return []byte(text.Text()), true
	}
	text, found := v.Get(fieldRawBase64)
	if !found {
		return nil, true
	}
	raw, err := base64.StdEncoding.DecodeString(text.Text())
	return raw, err == nil
}

func decodeChunks(v value.Value) []Chunk {
	stored, ok := v.Get(fieldChunks)
	if !ok {
		return nil
	}
	chunks := make([]Chunk, 0, stored.Len())
	for _, c := range stored.Items() {
		if c.Len() != 2 {
			continue
		}
		after, _ := c.Index(0).AsInt()
		chunks = append(chunks, Chunk{Data: c.Index(1), After: time.Duration(after)})
	}
	return chunks
}

// tokens returns how many tokens the answer took.
func (r *Response) tokens() int64 {
	if total, ok := r.Usage.At("total_tokens").AsInt(); ok {
		return total
	}
	prompt, _ := r.Usage.At("prompt_tokens").AsInt()
	completion, _ := r.Usage.At("completion_tokens").AsInt()
	return prompt + completion
}
