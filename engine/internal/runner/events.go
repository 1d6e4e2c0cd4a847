package runner

import (
	"sync"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/event"
)

// Teller numbers and dates events, hands them on one at a time, and counts.
// It is safe for concurrent use.
type Teller struct {
	run   string
	clock actions.Clock
	clean func(text string) string
	emit  func(event.Event)

	mu      sync.Mutex
	seq     int64
	started map[string]time.Time // when each node under way began, by call id
	stats   Stats
}

// Stats counts what a run did.
type Stats struct {
	Nodes    int           // bodies that ran, each visit and iteration counted
	Hits     int           // calls that the cache served
	Misses   int           // cached calls that had to run
	Duration time.Duration // of the whole run
	Saved    time.Duration // what the hits had taken when they ran
	Models   int           // calls that really went to a model
	SavedUSD float64       // what the hits on answers of models would have cost, as far as that is known
}

// NewTeller returns a teller of the events of one run. clean takes the secrets
// out of the texts of failures. clean and emit may be nil.
func NewTeller(run string, clock actions.Clock, clean func(text string) string, emit func(event.Event)) *Teller {
	return &Teller{run: run, clock: clock, clean: clean, emit: emit, started: map[string]time.Time{}}
}

// Tell hands on what happened, dated now.
func (t *Teller) Tell(body event.Body) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock.Now()
	switch b := body.(type) {
	case event.NodeStarted:
		t.stats.Nodes++
		t.started[b.ID] = now
	case event.NodeFinished:
		b.DurationMS = now.Sub(t.started[b.ID]).Milliseconds()
		delete(t.started, b.ID)
		b.Error = t.masked(b.Error)
		body = b
	}
	t.seq++
	if t.emit != nil {
		t.emit(event.Event{Seq: t.seq, Time: now, Run: t.run, Body: body})
	}
}

// masked returns a failure without secrets. Those of calls come without any;
// here are the machine's own, which may quote the state.
func (t *Teller) masked(e *event.Error) *event.Error {
	if e == nil || t.clean == nil {
		return e
	}
	clean := *e
	clean.Message = t.clean(e.Message)
	return &clean
}

// Count takes a cache's part in one call into the statistics.
func (t *Teller) Count(hit bool, saved time.Duration, savedUSD float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if hit {
		t.stats.Hits++
		t.stats.Saved += saved
		t.stats.SavedUSD += savedUSD
		return
	}
	t.stats.Misses++
}

// CountModel takes a call that goes to a model into the statistics.
func (t *Teller) CountModel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats.Models++
}

// Stats returns what was counted so far; its Duration is zero.
func (t *Teller) Stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stats
}
