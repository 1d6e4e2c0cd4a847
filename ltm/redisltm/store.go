package redisltm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/tea-agents/tea/ltm/driver"
)

const (
	// margin is how long the server keeps a row that has expired.
	margin = time.Hour
	// maxTTL is from when on a row needs no end of its own; later ones the
	// server may refuse.
	maxTTL = 200 * 365 * 24 * time.Hour
	// step is how many rows a script deletes or touches at most, userStep how
	// many of the user space, which have a member of the index for each word.
	step     = 1000
	userStep = 100
	// swept is how many members of the index DeleteExpired looks at.
	swept = 100
)

// fieldsOf are the fields of a row, in the order that record wants. The first
// are enough for a record without value, or with neither value nor metadata.
func fieldsOf() []string { return []string{"h", "m", "v"} }

// Get implements driver.Store.
func (s *Store) Get(ctx context.Context, key driver.Key) (driver.Record, error) {
	return result(ctx, s.again, func(ctx context.Context) (driver.Record, error) {
		fields, err := s.client.HMGet(ctx, s.row(key), fieldsOf()...).Result()
		if err != nil {
			return driver.Record{}, err
		}
		r, ok, err := record(key, fields)
		if err == nil && !ok {
			err = driver.ErrNotFound
		}
		return r, err
	})
}

// result makes a call that returns something.
func result[T any](ctx context.Context, call func(context.Context, func(context.Context) error) error,
	f func(context.Context) (T, error),
) (T, error) {
	var none T
	answer := make(chan T, 1)
	err := call(ctx, func(ctx context.Context) error {
		v, err := f(ctx)
		if err == nil {
			answer <- v
		}
		return err
	})
	if err != nil {
		return none, err
	}
	return <-answer, nil
}

// record reads the fields of a row, of which some may be left out, and tells
// whether there is one.
func record(key driver.Key, fields []any) (driver.Record, bool, error) {
	r := driver.Record{Key: key}
	h, ok := fields[0].(string)
	if !ok {
		return r, false, nil
	}
	if err := readTimes(&r, h); err != nil {
		return r, false, err
	}
	for i, into := range []*[]byte{&r.Metadata, &r.Value} {
		if len(fields) <= i+1 {
			return r, true, nil
		}
		text, ok := fields[i+1].(string)
		if !ok || i == 1 && int64(len(text)) != r.Size {
			return r, false, fmt.Errorf("%w: the row of %q is damaged", driver.ErrCorrupt, key.Key)
		}
		*into = []byte(text)
	}
	return r, true, nil
}

// Put implements driver.Store.
func (s *Store) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	rows, args := s.putArgs(&r, c)
	return result(ctx, s.write, func(ctx context.Context) (bool, error) {
		return put(s.run(ctx, s.scripts.put, r.Key.Space, rows, args))
	})
}

// putArgs returns what the script takes. It copies the caller's bytes.
func (s *Store) putArgs(r *driver.Record, c driver.Condition) (rows []string, args []any) {
	ttl := time.Duration(0)
	if r.ExpiresAt != 0 {
		ttl = margin
		if left := r.ExpiresAt - r.UpdatedAt; left > maxTTL.Milliseconds() {
			ttl = 0
		} else if left > 0 {
			ttl += time.Duration(left) * time.Millisecond
		}
	}
	absent := "0"
	if c.Absent {
		absent = "1"
	}
	return []string{s.row(r.Key)}, []any{
		idOf(r.Key.Namespace, r.Key.Key), r.UpdatedAt, r.ExpiresAt, heads(r),
		bytes.Clone(r.Metadata), bytes.Clone(r.Value), absent, c.Revision, ttl.Milliseconds(), r.Terms,
	}
}

// put reads the answer of the script.
func put(cmd *redis.Cmd) (created bool, err error) {
	n, err := cmd.Int()
	if err == nil && n < 0 {
		err = driver.ErrConflict
	}
	return n == 1, err
}

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, revision int64) (bool, error) {
	deleted, err := s.DeleteBatch(ctx, []driver.Ref{{Key: key, Revision: revision}})
	return err == nil && deleted[0], err
}

// DeleteExpired implements driver.Expirer.
func (s *Store) DeleteExpired(ctx context.Context, space driver.Space, now int64, limit int) (int, error) {
	bound := timeHead(laneExpires, now) + last
	return result(ctx, s.write, func(ctx context.Context) (deleted int, err error) {
		for deleted < limit {
			asked := min(limit-deleted, stepOf(space))
			n, err := s.run(ctx, s.scripts.expire, space, nil, []any{s.rows(space), bound, asked, swept}).Int64Slice()
			if err != nil {
				return deleted, err
			}
			deleted += int(n[0])
			if n[1] < int64(asked) {
				break
			}
		}
		return deleted, nil
	})
}

// stepOf returns how many rows of a space a script takes at most.
func stepOf(space driver.Space) int {
	if space == driver.User {
		return userStep
	}
	return step
}

// Revision implements driver.Reviser.
func (s *Store) Revision(ctx context.Context) (int64, error) {
	return result(ctx, s.again, func(ctx context.Context) (int64, error) {
		text, err := s.client.HGet(ctx, s.store(), "revision").Result()
		if errors.Is(err, redis.Nil) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			err = fmt.Errorf("%w: the change counter is %q", driver.ErrCorrupt, text)
		}
		return n, err
	})
}
