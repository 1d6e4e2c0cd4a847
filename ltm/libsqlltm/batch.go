package libsqlltm

import (
	"context"
	"slices"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

const (
	batchCount = 100     // records or keys in one request
	batchSize  = 4 << 20 // bytes of values in one
)

// GetBatch implements driver.BatchGetter.
func (s *Store) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	found := make(map[driver.Key]driver.Record, len(keys))
	err := s.do(ctx, func(ctx context.Context) error {
		for part := range slices.Chunk(keys, batchCount) {
			err := s.client.look(ctx, func(ask asker) error { return getPart(ctx, ask, part, found) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// getPart reads the records under keys, fewer at a time where their metadata is
// too much for one answer.
func getPart(ctx context.Context, ask asker, keys []driver.Key, found map[driver.Key]driver.Record) error {
	query := `SELECT ` + valueColumns + ` FROM tea_entries AS e
WHERE (e.space, e.namespace, e.key) IN (` + rowMarks(len(keys)) + `)`
	results, err := ask(ctx, sql(query, allKeyArgs(keys)...))
	if tooLarge(err) && len(keys) > 1 {
		half := len(keys) / 2
		if err := getPart(ctx, ask, keys[:half], found); err != nil {
			return err
		}
		return getPart(ctx, ask, keys[half:], found)
	}
	if err != nil {
		return err
	}
	for _, row := range results[0].Rows {
		r, err := scanRecord(row)
		if err == nil {
			err = fill(ctx, ask, &r)
		}
		if err != nil {
			return err
		}
		found[r.Key] = r
	}
	return nil
}

// rowMarks returns the parameters of n keys.
func rowMarks(n int) string {
	return "VALUES " + strings.TrimSuffix(strings.Repeat("(?,?,?),", n), ",")
}

func allKeyArgs(keys []driver.Key) []any {
	args := make([]any, 0, 3*len(keys))
	for _, k := range keys {
		args = append(args, keyArgs(k)...)
	}
	return args
}

// PutBatch implements driver.BatchPutter: a transaction for every hundred
// records or 4 MiB.
func (s *Store) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	news := make([]bool, 0, len(records))
	err := s.do(ctx, func(ctx context.Context) error {
		for len(records) > 0 {
			n, size := 0, 0
			for n < min(len(records), batchCount) && (n == 0 || size+len(records[n].Value) <= batchSize) {
				size += len(records[n].Value)
				n++
			}
			part, err := s.putPart(ctx, records[:n])
			if err != nil {
				return err
			}
			news, records = append(news, part...), records[n:]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return news, nil
}

// putPart puts records in one transaction.
func (s *Store) putPart(ctx context.Context, records []driver.Record) ([]bool, error) {
	var statements []statement
	first := make([]int, len(records)) // statement of each record
	for i := range records {
		first[i] = len(statements)
		statements = append(statements, putting(&records[i], driver.Condition{})...)
	}
	results, err := s.client.transact(ctx, statements...)
	if err != nil {
		return nil, err
	}
	news := make([]bool, len(records))
	for i, n := range first {
		if news[i], err = created(results[n]); err != nil {
			return nil, err
		}
	}
	return news, nil
}

// DeleteBatch implements driver.BatchDeleter: a transaction for every hundred.
func (s *Store) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	deleted := make([]bool, 0, len(refs))
	err := s.do(ctx, func(ctx context.Context) error {
		for part := range slices.Chunk(refs, batchCount) {
			statements := make([]statement, len(part))
			for i, ref := range part {
				statements[i] = sql(deleteOne, append(keyArgs(ref.Key), ref.Revision)...)
			}
			results, err := s.client.transact(ctx, statements...)
			if err != nil {
				return err
			}
			for _, r := range results {
				deleted = append(deleted, r.Changed > 0)
			}
		}
		return nil
	})
	return deleted, err
}

// Touch implements driver.Toucher.
func (s *Store) Touch(ctx context.Context, keys []driver.Key, at int64) error {
	return s.do(ctx, func(ctx context.Context) error {
		for part := range slices.Chunk(keys, batchCount) {
			_, err := s.client.run(ctx, sql(`UPDATE tea_entries SET accessed_at = ?
WHERE accessed_at < ? AND (space, namespace, key) IN (`+rowMarks(len(part))+`)`,
				append([]any{at, at}, allKeyArgs(part)...)...))
			if err != nil {
				return err
			}
		}
		return nil
	})
}
