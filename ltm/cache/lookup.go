package cache

import (
	"context"
	"errors"

	"github.com/tea-agents/tea/ltm"
)

// find asks the store for the entry of a call, and returns what stands under its
// key: its outcome is a Hit, or Stale where that may be served, or says why it
// is neither.
func (c *Cache) find(ctx context.Context, l *call) (*ltm.Entry, Outcome, error) {
	o := Outcome{Status: Miss, Key: l.id.text, Reason: "not_found"}
	limit := pick(l.policy.LookupTimeout, c.lookupTimeout)
	e, err := ask(ctx, c.lookups, limit, func(ctx context.Context) (*ltm.Entry, error) {
		return c.recall(ctx, l.id.key)
	})
	if e == nil || err != nil {
		return nil, o, err
	}
	stored := e.Metadata.At(MetaMaterial)
	if name := mismatch(stored, l.id.who); name != "" {
		o.Reason = changedReason(name, stored.At(name, "preview").Text(), l.preview(name))
		return e, o, nil
	}
	fresh, now, failure := freshUntil(e), c.now(), isFailure(e)
	switch {
	case over(fresh, now) && !failure && within(l.policy.StaleWhileRevalidate, fresh, now):
		o.Status, o.Reason = Stale, "stale_while_revalidate: expired at "+FormatTime(fresh)
	case over(fresh, now):
		o.Status, o.Reason = Expired, "expired: at "+FormatTime(fresh)
		return e, o, nil
	case !failure:
		o.Status, o.Reason = Hit, ""
	case l.policy.remembers(failureOf(e).Code):
		o.Status, o.Reason = Hit, "failure: the call failed before ("+failureOf(e).Code+")"
	default:
		o.Reason = "failure_stored: a failure (" + failureOf(e).Code + ") that is not asked for"
		return e, o, nil
	}
	c.touch(l, e, now)
	o.CreatedAt, o.Saved = createdAt(e), duration(e)
	return e, o, nil
}

// fetch returns the entry under a key, or nil. A damaged one is deleted and
// counts as none.
func (c *Cache) fetch(ctx context.Context, k Key) (*ltm.Entry, error) {
	e, err := c.shelf.get(ctx, k)
	if !errors.Is(err, ltm.ErrCorrupt) {
		return e, err
	}
	if _, gone := c.shelf.remove(ctx, k); gone != nil {
		return nil, err
	}
	c.log.Warn("cache: a damaged entry was deleted", "key", k.String(), "error", err)
	return nil, nil //nolint:nilnil // no entry is an answer, not a failure
}

// preview returns a part of the call's identity in words.
func (l *call) preview(name string) string {
	for _, p := range l.id.who {
		if p.name == name {
			return p.component().Preview
		}
	}
	return ""
}

// errorReason puts a failure of the store into words.
func errorReason(err error) string {
	kinds := []struct {
		is   error
		word string
	}{
		{errResting, "resting"}, {errTooSlow, "timeout"}, {ErrNoMemory, "no_memory"},
		{context.DeadlineExceeded, "timeout"}, {ltm.ErrReadOnly, "read_only"}, {ltm.ErrFull, "full"},
		{ltm.ErrCorrupt, "corrupt"}, {ltm.ErrNewer, "newer"}, {ltm.ErrClosed, "closed"},
		{ltm.ErrConfig, "config"},
	}
	for _, k := range kinds {
		if errors.Is(err, k.is) {
			return k.word + ": " + err.Error()
		}
	}
	return "unavailable: " + err.Error()
}
