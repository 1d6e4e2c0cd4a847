package sqliteltm

import (
	"context"
	"database/sql"

	"github.com/tea-agents/tea/ltm/driver"
)

// GetBatch implements driver.BatchGetter.
func (s *Store) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	one, err := s.read.stmt(ctx, queryGet)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	found := make(map[driver.Key]driver.Record, len(keys))
	err = s.read.view(ctx, func(tx *sql.Tx) error {
		one := tx.StmtContext(ctx, one)
		for _, key := range keys {
			var r row
			err := scanOne(ctx, one, []any{int64(key.Space), key.Namespace, key.Key}, r.valueFields()...)
			if err == sql.ErrNoRows { //nolint:errorlint // scanOne returns it as it is
				continue
			}
			if err == nil {
				err = r.check()
			}
			if err != nil {
				return err
			}
			found[key] = r.Record
		}
		return nil
	})
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	return found, nil
}

// PutBatch implements driver.BatchPutter: it is one transaction.
func (s *Store) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	if err := s.beginWrite(ctx); err != nil {
		return nil, err
	}
	p, err := s.putter(ctx, putAlways)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	created := make([]bool, len(records))
	err = s.write.tx(ctx, func(tx *sql.Tx) error {
		p := p.in(ctx, tx)
		for i := range records {
			var err error
			if created[i], err = p.put(ctx, &records[i], driver.Condition{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	return created, nil
}

// DeleteBatch implements driver.BatchDeleter: it is one transaction.
func (s *Store) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	if err := s.beginWrite(ctx); err != nil {
		return nil, err
	}
	one, err := s.write.stmt(ctx, deleteOne)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	deleted := make([]bool, len(refs))
	err = s.write.tx(ctx, func(tx *sql.Tx) error {
		one := tx.StmtContext(ctx, one)
		for i, ref := range refs {
			res, err := one.ExecContext(ctx, int64(ref.Key.Space), ref.Key.Namespace, ref.Key.Key, ref.Revision)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return err
			}
			deleted[i] = n > 0
		}
		return nil
	})
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	return deleted, nil
}
