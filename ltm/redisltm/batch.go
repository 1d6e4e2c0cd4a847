package redisltm

import (
	"context"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/tea-agents/tea/ltm/driver"
)

// piped is how many rows are read or put in one go.
const piped = 100

// GetBatch implements driver.BatchGetter.
func (s *Store) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	keys = slices.Clone(keys)
	return result(ctx, s.again, func(ctx context.Context) (map[driver.Key]driver.Record, error) {
		found := make(map[driver.Key]driver.Record, len(keys))
		for part := range slices.Chunk(keys, piped) {
			records, err := s.fetch(ctx, part)
			if err != nil {
				return nil, err
			}
			for _, r := range records {
				found[r.Key] = r
			}
		}
		return found, nil
	})
}

// fetch reads rows in one go. What is not there is left out.
func (s *Store) fetch(ctx context.Context, keys []driver.Key) ([]driver.Record, error) {
	pipe := s.client.Pipeline()
	rows := make([]*redis.SliceCmd, len(keys))
	for i, key := range keys {
		rows[i] = pipe.HMGet(ctx, s.row(key), fieldsOf()...)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, err
	}
	found := make([]driver.Record, 0, len(keys))
	for i, row := range rows {
		r, ok, err := record(keys[i], row.Val())
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, r)
		}
	}
	return found, nil
}

// putCall is a call of the script that puts.
type putCall struct {
	space driver.Space
	rows  []string
	args  []any
}

// PutBatch implements driver.BatchPutter.
func (s *Store) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	all := make([]putCall, len(records))
	for i := range records {
		all[i].space = records[i].Key.Space
		all[i].rows, all[i].args = s.putArgs(&records[i], driver.Condition{})
	}
	return result(ctx, s.write, func(ctx context.Context) ([]bool, error) {
		created := make([]bool, 0, len(all))
		for part := range slices.Chunk(all, piped) {
			var err error
			if created, err = s.putPart(ctx, created, part); err != nil {
				return nil, err
			}
		}
		return created, nil
	})
}

// putPart puts the first record alone, after which the server has the script,
// and the others in one go.
func (s *Store) putPart(ctx context.Context, created []bool, part []putCall) ([]bool, error) {
	first := part[0]
	ok, err := put(s.run(ctx, s.scripts.put, first.space, first.rows, first.args))
	if err != nil || len(part) == 1 {
		return append(created, ok), err
	}
	created = append(created, ok)
	pipe := s.client.Pipeline()
	cmds := make([]*redis.Cmd, len(part)-1)
	for i, p := range part[1:] {
		cmds[i] = s.scripts.put.EvalSha(ctx, pipe, s.keys(p.space, p.rows), p.args...)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, err
	}
	for _, cmd := range cmds {
		ok, err := put(cmd)
		if err != nil {
			return nil, err
		}
		created = append(created, ok)
	}
	return created, nil
}

// DeleteBatch implements driver.BatchDeleter.
func (s *Store) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	refs = slices.Clone(refs)
	return result(ctx, s.write, func(ctx context.Context) ([]bool, error) {
		deleted := make([]bool, 0, len(refs))
		for part := range parts(refs, func(r driver.Ref) driver.Space { return r.Key.Space }) {
			var rows []string
			var args []any
			for _, ref := range part {
				rows = append(rows, s.row(ref.Key))
				args = append(args, idOf(ref.Key.Namespace, ref.Key.Key), ref.Revision)
			}
			hits, err := s.run(ctx, s.scripts.del, part[0].Key.Space, rows, args).BoolSlice()
			if err != nil {
				return nil, err
			}
			deleted = append(deleted, hits...)
		}
		return deleted, nil
	})
}

// Touch implements driver.Toucher.
func (s *Store) Touch(ctx context.Context, keys []driver.Key, at int64) error {
	keys = slices.Clone(keys)
	return s.write(ctx, func(ctx context.Context) error {
		for part := range parts(keys, func(k driver.Key) driver.Space { return k.Space }) {
			var rows []string
			args := []any{at, timeHead(laneAccessed, at)}
			for _, key := range part {
				rows = append(rows, s.row(key))
				args = append(args, idOf(key.Namespace, key.Key))
			}
			if err := s.run(ctx, s.scripts.touch, part[0].Space, rows, args).Err(); err != nil {
				return err
			}
		}
		return nil
	})
}

// parts cuts all into parts of one space each that a script can take.
func parts[T any](all []T, space func(T) driver.Space) func(yield func([]T) bool) {
	return func(yield func([]T) bool) {
		for len(all) > 0 {
			n, most := 1, stepOf(space(all[0]))
			for n < len(all) && n < most && space(all[n]) == space(all[0]) {
				n++
			}
			if !yield(all[:n]) {
				return
			}
			all = all[n:]
		}
	}
}
