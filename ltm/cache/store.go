package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// errLeaseLost says that a call took longer than its lease could be kept.
var errLeaseLost = errors.New("the lease was lost meanwhile, and another process may lead")

// store stores a record by put. See tell for what it returns.
func (c *Cache) store(ctx context.Context, l *call, r record, put func(context.Context, *ltm.PutOptions) error) (going <-chan struct{}, err error) {
	if l.kept != nil && l.kept.Err() != nil {
		return nil, errLeaseLost
	}
	created := c.now().Truncate(time.Millisecond)
	fresh := expiry(created, r.ttl)
	options := &ltm.PutOptions{Metadata: r.metadata(l, created, fresh), ExpiresAt: fresh}
	if !fresh.IsZero() {
		options.ExpiresAt = fresh.Add(r.window.Truncate(time.Millisecond))
	}
	return c.tell(ctx, r.ttl, func(ctx context.Context) error { return put(ctx, options) })
}

// put stores a result, for a call under a lease only if no later one has stored
// one.
func (c *Cache) put(l *call, v value.Value, seen *ltm.Entry) func(context.Context, *ltm.PutOptions) error {
	return func(ctx context.Context, o *ltm.PutOptions) error {
		if l.lease != nil {
			return c.shelf.putFenced(ctx, l.id.key, v, o, seen, l.lease.Token())
		}
		return c.shelf.put(ctx, l.id.key, v, o)
	}
}

// refusal returns the size of a result as JSON and why it is not to be stored,
// or "".
func (c *Cache) refusal(ctx context.Context, l *call, v value.Value) (size int, reason string) {
	switch {
	case ctx.Err() != nil:
		return 0, "canceled: the call was cancelled"
	case l.policy.TTL <= 0:
		return 0, "ttl_zero: a lifetime of 0 stores nothing"
	case Failed(v):
		return 0, "failed: the result says that the action failed"
	}
	data, err := v.Canonical()
	switch {
	case err != nil:
		return 0, "not_json: " + err.Error()
	case int64(len(data)) > l.policy.maxEntryBytes():
		return 0, fmt.Sprintf("too_large: the result has %d bytes, more than %d", len(data), l.policy.maxEntryBytes())
	}
	if l.policy.Unless != nil {
		unless, err := l.policy.Unless(v)
		switch {
		case err != nil:
			return 0, "unless: " + err.Error()
		case unless:
			return 0, "unless: the condition holds"
		}
	}
	return len(data), c.changed(ctx, l)
}

// Failed tells whether a result is that of an action that failed, as its members
// success and error say. Such a result is never stored.
func Failed(v value.Value) bool {
	if success, ok := v.At("success").AsBool(); ok {
		return !success
	}
	reason := v.At("error")
	return !reason.IsNull() && (reason.Kind() != value.KindString || reason.Text() != "")
}

// changed says that the file of the key is not any more what was hashed, or "".
func (c *Cache) changed(ctx context.Context, l *call) string {
	if l.id.file == "" {
		return ""
	}
	var same bool
	var err error
	if l.req.StatFile != nil {
		var stamp string
		stamp, err = l.req.StatFile(ctx, l.id.file)
		same = stamp == l.id.hash.Stamp
	} else {
		var hash FileHash
		hash, err = l.req.HashFile(ctx, l.id.file)
		same = hash.Hash == l.id.hash.Hash
	}
	switch {
	case err != nil:
		return "file_changed: " + err.Error()
	case !same:
		return fmt.Sprintf("file_changed: %s changed while the action ran", l.id.file)
	}
	return ""
}
