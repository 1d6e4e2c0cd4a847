package llmcache

import (
	"math"
	"sync"
	"time"
)

// served is what is counted of one call.
type served struct {
	key    string
	model  modelName
	at     time.Time
	lookup bool
	hit    bool
	stored bool
	tokens int64 // saved by a hit
	usd    float64
	priced bool
}

// saves notes what a hit with that answer saves.
func (s *served) saves(r *Response, cost func(*Response) (float64, bool)) {
	s.tokens, s.usd, s.priced = r.tokens(), r.CostUSD, r.Priced
	if cost != nil {
		s.usd, s.priced = cost(r)
	}
	if math.IsNaN(s.usd) || math.IsInf(s.usd, 0) {
		s.priced = false
	}
	if !s.priced {
		s.usd = 0
	}
}

// modelName is what entries and counts are listed under.
type modelName struct{ Provider, Model string }

// dayModel names the counts of a model on a day.
type dayModel struct {
	day int64 // since 1970, in UTC
	modelName
}

// secondsOfDay is how many seconds a day in UTC has.
const secondsOfDay = 24 * 60 * 60

// date returns the name of the day, such as 2026-02-22.
func (d dayModel) date() string {
	return time.Unix(d.day*secondsOfDay, 0).UTC().Format(time.DateOnly)
}

// batch is what was counted and not written yet.
type batch struct {
	marks map[string]mark
	days  map[dayModel]Savings
	calls int
}

// add counts a call.
func (b *batch) add(s served) {
	if b.marks == nil {
		b.marks, b.days = map[string]mark{}, map[dayModel]Savings{}
	}
	b.calls++
	if s.hit || s.stored {
		m := mark{modelName: s.model}
		if s.hit {
			m.hits, m.lastHit = 1, s.at
		}
		b.marks[s.key] = b.marks[s.key].plus(m)
	}
	if s.lookup {
		day := dayModel{s.at.Unix() / secondsOfDay, s.model}
		b.days[day] = b.days[day].plus(s.savings())
	}
}

// savings returns the share of a lookup in the day's counts.
func (s *served) savings() Savings {
	v := Savings{Lookups: 1}
	if s.hit {
		v.Hits, v.Tokens, v.USD = 1, s.tokens, s.usd
		if !s.priced {
			v.Unpriced = 1
		}
	}
	return v
}

// tally gathers counts until they are written. The zero tally is ready.
type tally struct {
	mu      sync.Mutex
	pending batch
	timer   *time.Timer // runs while there are counts
	hurried bool        // the timer was set to now
	closed  bool
}

// count counts a call; write runs in the background when the counts have waited
// long enough, or there are enough of them.
func (c *Cache) count(s served) {
	if c.marks == nil {
		return
	}
	t := &c.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending.add(s)
	c.schedule(t)
}

// schedule sees to it that pending counts are written; t is locked.
func (c *Cache) schedule(t *tally) {
	switch {
	case t.closed:
	case t.timer == nil:
		t.timer = time.AfterFunc(c.every, c.flushInBackground)
	case t.pending.calls >= c.after && !t.hurried:
		t.hurried = true
		t.timer.Reset(0)
	}
}

// take returns what is pending, and leaves nothing.
func (t *tally) take() batch {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.disarm()
	taken := t.pending
	t.pending = batch{}
	return taken
}

// disarm stops the timer; t is locked.
func (t *tally) disarm() {
	if t.timer != nil {
		t.timer.Stop()
	}
	t.timer, t.hurried = nil, false
}

// close ends writing in the background.
func (t *tally) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.disarm()
}

// giveBack takes counts that could not be written.
func (c *Cache) giveBack(b batch) {
	if len(b.marks)+len(b.days) == 0 {
		return
	}
	t := &c.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pending.marks == nil {
		t.pending.marks, t.pending.days = map[string]mark{}, map[dayModel]Savings{}
	}
	for key, m := range b.marks {
		t.pending.marks[key] = m.plus(t.pending.marks[key])
	}
	for day, s := range b.days {
		t.pending.days[day] = s.plus(t.pending.days[day])
	}
	c.schedule(t)
}

// forget drops what was counted for entries that are gone.
func (t *tally) forget(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.pending.marks, key)
}

// since returns what is pending for an entry.
func (t *tally) since(key string) mark {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pending.marks[key]
}

// instant returns the time as it is stored.
func (c *Cache) instant() time.Time { return c.now().UTC().Truncate(time.Millisecond) }
