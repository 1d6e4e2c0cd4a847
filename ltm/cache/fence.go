package cache

import (
	"context"
	"errors"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// errOvertaken says that somebody else has stored something meanwhile that
// counts for more.
var errOvertaken = errors.New("another process has stored a result meanwhile")

// mostFences is how often a fenced put is tried again because the entry changed
// under its hands.
const mostFences = 16

// putFenced stores an entry unless one stands there that was stored under a
// later lease. seen is what stood there when the lease was taken, nil for
// nothing.
func (s shelf) putFenced(ctx context.Context, k Key, v value.Value, o *ltm.PutOptions, seen *ltm.Entry, token int64) error {
	for range mostFences {
		err := s.putOver(ctx, k, v, o, seen)
		if !errors.Is(err, errOvertaken) {
			return err
		}
		if seen, err = s.get(ctx, k); err != nil {
			return err
		}
		if seen == nil {
			continue
		}
		if other, _ := seen.Metadata.At(MetaToken).AsInt(); other > token {
			return errOvertaken
		}
	}
	return errOvertaken
}

// putOver stores an entry where seen still stands, or nothing if that is nil.
// Otherwise it returns errOvertaken.
func (s shelf) putOver(ctx context.Context, k Key, v value.Value, o *ltm.PutOptions, seen *ltm.Entry) error {
	m, err := s.in(k.Namespace)
	if err != nil {
		return err
	}
	conditional := *o
	conditional.IfAbsent = seen == nil
	if seen != nil {
		conditional.IfRevision = seen.Revision
	}
	created, err := m.Put(ctx, k.inNamespace(), v, &conditional)
	if errors.Is(err, ltm.ErrConflict) || err == nil && conditional.IfAbsent && !created {
		return errOvertaken
	}
	return err
}
