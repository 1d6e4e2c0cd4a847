package llmcache

import (
	"context"
	"errors"
	"fmt"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// Flush writes the counts that are gathered, instead of waiting for the
// background to do so. What could not be written stays gathered, but for a
// store that is read-only: there counts are dropped.
func (c *Cache) Flush(ctx context.Context) error {
	select {
	case <-c.turn:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { c.turn <- struct{}{} }()
	left, err := c.write(ctx, c.tally.take())
	if errors.Is(err, ltm.ErrReadOnly) {
		return nil
	}
	c.giveBack(left)
	if err != nil {
		return fmt.Errorf("llmcache: the counts were not written: %w", err)
	}
	return nil
}

// flushInBackground is what the timer runs.
func (c *Cache) flushInBackground() {
	ctx, cancel := context.WithTimeout(c.ended, flushLimit)
	defer cancel()
	if err := c.Flush(ctx); err != nil {
		c.warning.Do(func() { c.log.Warn(err.Error()) })
	}
}

// write adds a batch to what is stored, and returns what was not.
func (c *Cache) write(ctx context.Context, b batch) (left batch, err error) {
	for key, more := range b.marks {
		err := merge(ctx, c.marks, key, func(old value.Value) value.Value { return markOf(old).plus(more).value() })
		if err != nil {
			return b, err
		}
		delete(b.marks, key)
	}
	days := map[int64]map[modelName]Savings{}
	for of, s := range b.days {
		if days[of.day] == nil {
			days[of.day] = map[modelName]Savings{}
		}
		days[of.day][of.modelName] = s
	}
	for day, more := range days {
		err := merge(ctx, c.days, dayModel{day: day}.date(), func(old value.Value) value.Value { return addDay(old, more) })
		if err != nil {
			return b, err
		}
		for m := range more {
			delete(b.days, dayModel{day, m})
		}
	}
	return batch{}, nil
}

// mergeAttempts is how often a change is tried again because somebody else was
// faster. One of those who compete always succeeds.
const mergeAttempts = 1000

// merge changes what is stored under key, so that changes of other processes at
// the same time count too. A damaged value counts as none.
func merge(ctx context.Context, m *ltm.Memory, key string, change func(old value.Value) value.Value) error {
	for range mergeAttempts {
		done, err := tryMerge(ctx, m, key, change)
		if done || err != nil {
			return err
		}
	}
	return fmt.Errorf("%q: %w", key, ltm.ErrConflict)
}

// tryMerge is merge unless somebody else was faster.
func tryMerge(ctx context.Context, m *ltm.Memory, key string, change func(value.Value) value.Value) (done bool, err error) {
	old, err := m.Get(ctx, key)
	switch {
	case errors.Is(err, ltm.ErrNotFound):
		return m.Put(ctx, key, change(value.Object()), &ltm.PutOptions{IfAbsent: true})
	case errors.Is(err, ltm.ErrCorrupt):
		_, err = m.Delete(ctx, key)
		return false, err
	case err != nil:
		return false, err
	}
	_, err = m.Put(ctx, key, change(old.Value), &ltm.PutOptions{IfRevision: old.Revision})
	if errors.Is(err, ltm.ErrConflict) {
		return false, nil
	}
	return err == nil, err
}
