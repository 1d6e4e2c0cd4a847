package redisltm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/tea-agents/tea/ltm/driver"
)

// worded returns errors.ErrUnsupported when the store may have records of which it
// knows no words: see layout.
func (s *Store) worded(ctx context.Context) error {
	about, err := s.client.HMGet(ctx, s.store(), "format", "wordless").Result()
	if err != nil {
		return err
	}
	if about[0] != strconv.Itoa(formatVersion) {
		return fmt.Errorf("a search by words: %w", errors.ErrUnsupported)
	}
	wordless, ok := about[1].(string)
	if !ok {
		return nil
	}
	upTo, err := strconv.ParseInt(wordless, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: the store is wordless up to %q", driver.ErrCorrupt, wordless)
	}
	return s.prove(ctx, upTo)
}

// prove looks whether any record may lack words, the first updated first, as those
// were. When there is none nobody has to look again.
func (s *Store) prove(ctx context.Context, upTo int64) error {
	q := driver.Query{Space: driver.User, Order: driver.ByUpdated, KeysOnly: true}
	l := &listing{store: s, q: &q}
	for found, err := range l.scan(ctx, timeSpan(&q)[0]) {
		if err != nil {
			return err
		}
		if slices.ContainsFunc(found, func(r driver.Record) bool { return r.Revision <= upTo }) {
			return fmt.Errorf("a search by words: %w: there are records of which it knows none", errors.ErrUnsupported)
		}
	}
	l.clean(ctx)
	if !s.config.readOnly {
		// Where it cannot be noted, the next search looks again.
		_ = s.run(ctx, s.scripts.worded, driver.User, nil, []any{upTo}).Err()
	}
	return ctx.Err()
}
