package ltm

import (
	"context"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

// Quota bounds a space of a memory. What is 0 bounds nothing.
type Quota struct {
	MaxBytes   int64         // of the values of all entries, as stored
	MaxEntries int64         // how many there may be
	MaxIdle    time.Duration // how long an entry lives without being read or written
}

// Trimmed tells what Trim deleted and what is left.
type Trimmed struct {
	Expired, Idle, Oversize int64
	LeftEntries, LeftBytes  int64
}

// Trim deletes entries of the view's space, in every namespace, until what is
// left keeps to the quota: first those that have expired, then those that were
// idle too long, then the least recently used. What was read counts as used
// where Touch said so and the store keeps such notes. An entry that is put
// meanwhile stays. On an error the answer is of what was deleted so far.
func (m *Memory) Trim(ctx context.Context, q Quota) (Trimmed, error) {
	var t Trimmed
	err := m.trim(ctx, q, &t)
	return t, m.fail("trim", "", err)
}

func (m *Memory) trim(ctx context.Context, q Quota, t *Trimmed) error {
	if q.MaxBytes < 0 || q.MaxEntries < 0 || q.MaxIdle < 0 {
		return invalid("a quota is negative")
	}
	s, err := m.use(ctx)
	if err != nil {
		return err
	}
	now := m.now().UnixMilli()
	for n := batch; n == batch; t.Expired += int64(n) {
		if n, err = driver.DeleteExpired(ctx, s, m.space, now, batch); err != nil {
			return err
		}
	}
	counts, err := driver.CountStats(ctx, s, m.space)
	if err != nil {
		return err
	}
	for _, c := range counts {
		t.LeftEntries += c.Entries
		t.LeftBytes += c.Bytes
	}
	return m.trimUsed(ctx, s, q, now, t)
}

// trimUsed deletes the least recently used entries until the quota is kept.
func (m *Memory) trimUsed(ctx context.Context, s driver.Store, q Quota, now int64, t *Trimmed) error {
	d := driver.Query{Space: m.space, Order: driver.ByAccessed, KeysOnly: true, Limit: batch}
	for {
		if !q.exceeded(t) && q.MaxIdle == 0 {
			return nil
		}
		page, err := s.List(ctx, d)
		if err != nil {
			return err
		}
		doomed := q.choose(page, now, *t)
		if err := m.drop(ctx, s, page[:doomed], q, now, t); err != nil {
			return err
		}
		if doomed < len(page) || len(page) < d.Limit {
			return nil
		}
		last := d.Position(&page[len(page)-1])
		d.After = &last
	}
}

func (q Quota) exceeded(t *Trimmed) bool {
	return q.MaxBytes > 0 && t.LeftBytes > q.MaxBytes || q.MaxEntries > 0 && t.LeftEntries > q.MaxEntries
}

func (q Quota) idle(r *driver.Record, now int64) bool {
	return q.MaxIdle > 0 && now-r.AccessedAt > q.MaxIdle.Milliseconds()
}

// choose returns how many records of a page, the least recently used first, have
// to go; t is what is there before.
func (q Quota) choose(page []driver.Record, now int64, t Trimmed) int {
	for i := range page {
		if !q.idle(&page[i], now) && !q.exceeded(&t) {
			return i
		}
		t.LeftEntries--
		t.LeftBytes -= page[i].Size
	}
	return len(page)
}

// drop deletes records as they were listed.
func (m *Memory) drop(ctx context.Context, s driver.Store, page []driver.Record, q Quota, now int64, t *Trimmed) error {
	refs := make([]driver.Ref, len(page))
	for i, r := range page {
		refs[i] = driver.Ref{Key: r.Key, Revision: r.Revision}
	}
	gone, err := driver.DeleteBatch(ctx, s, refs)
	for i := range gone {
		if !gone[i] {
			continue
		}
		if q.idle(&page[i], now) {
			t.Idle++
		} else {
			t.Oversize++
		}
		t.LeftEntries--
		t.LeftBytes -= page[i].Size
	}
	return err
}
