package llmcache

import (
	"time"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// mark is what an entry went through. It is stored beside the entry, so that a
// hit does not rewrite the answer.
type mark struct {
	modelName
	hits    int64
	lastHit time.Time
	pinned  bool
}

// plus returns the mark after what n tells.
func (m mark) plus(n mark) mark {
	if n.modelName != (modelName{}) {
		m.modelName = n.modelName
	}
	m.hits += n.hits
	if n.lastHit.After(m.lastHit) {
		m.lastHit = n.lastHit
	}
	m.pinned = m.pinned || n.pinned
	return m
}

// value returns the mark as it is stored.
func (m mark) value() value.Value {
	return value.Object(
		value.M("provider", value.String(m.Provider)),
		value.M("model", value.String(m.Model)),
		value.M("hit_count", value.Int(m.hits)),
		value.M("last_hit_at", value.String(FormatTime(m.lastHit))),
		value.M("pinned", value.Bool(m.pinned)),
	)
}

// markOf reads what value made.
func markOf(v value.Value) mark {
	m := mark{modelName: modelName{v.At("provider").Text(), v.At("model").Text()}}
	m.hits, _ = v.At("hit_count").AsInt()
	m.pinned, _ = v.At("pinned").AsBool()
	if at := v.At("last_hit_at").Text(); at != "" {
		m.lastHit, _ = time.Parse(time.RFC3339, at)
	}
	return m
}

// Savings are what lookups brought.
type Savings struct {
	Lookups  int64
	Hits     int64
	Tokens   int64   // that the hits did not use again
	USD      float64 // that the hits did not cost again, as far as it is known
	Unpriced int64   // hits of which it is not known
}

func (s Savings) plus(t Savings) Savings {
	s.Lookups += t.Lookups
	s.Hits += t.Hits
	s.Tokens += t.Tokens
	s.USD += t.USD
	s.Unpriced += t.Unpriced
	return s
}

func (s Savings) value() value.Value {
	return value.Object(
		value.M("lookups", value.Int(s.Lookups)), value.M("hits", value.Int(s.Hits)),
		value.M("tokens_saved", value.Int(s.Tokens)), value.M("usd_saved", value.Float(s.USD)),
		value.M("unpriced_hits", value.Int(s.Unpriced)))
}

func savingsOf(v value.Value) (s Savings) {
	s.Lookups, _ = v.At("lookups").AsInt()
	s.Hits, _ = v.At("hits").AsInt()
	s.Tokens, _ = v.At("tokens_saved").AsInt()
	s.USD, _ = v.At("usd_saved").AsFloat()
	s.Unpriced, _ = v.At("unpriced_hits").AsInt()
	return s
}

// addDay returns the counts of a day with those of some models added. A day is
// {provider: {model: counts}}.
func addDay(day value.Value, more map[modelName]Savings) value.Value {
	for m, s := range more {
		of := day.At(m.Provider)
		day = day.With(m.Provider, of.With(m.Model, savingsOf(of.At(m.Model)).plus(s).value()))
	}
	return day
}

// FormatTime writes a time as results and listings show it; "" for the zero
// Time.
func FormatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return cache.FormatTime(t)
}
