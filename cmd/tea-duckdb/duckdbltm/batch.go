package duckdbltm

import (
	"context"

	"github.com/tea-agents/tea/ltm/driver"
)

const queryAll = `SELECT ` + allColumns + ` FROM tea.tea_entries AS e
WHERE e.id IN (SELECT unnest(?::BIGINT[]))`

// GetBatch implements driver.BatchGetter.
func (s *Store) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	wanted := make(map[driver.Key]bool, len(keys))
	for _, key := range keys {
		wanted[key] = true
	}
	all := ids(keys)
	return call(ctx, s, func(d *database) (map[driver.Key]driver.Record, error) {
		many, err := d.stmt(ctx, queryAll)
		if err != nil {
			return nil, err
		}
		rows, err := many.QueryContext(ctx, all)
		if err != nil {
			return nil, err
		}
		defer func() { _ = rows.Close() }() // rows.Err says what counts
		found := make(map[driver.Key]driver.Record, len(wanted))
		for rows.Next() {
			var r row
			if err := rows.Scan(r.allFields()...); err != nil {
				return nil, err
			}
			if record := r.record(); wanted[record.Key] {
				found[record.Key] = record
			}
		}
		return found, rows.Err()
	})
}

const deleteRows = `DELETE FROM tea.tea_entries WHERE rowid IN (SELECT unnest(?::BIGINT[]))`

// delete deletes rows.
func (t *transaction) delete(ctx context.Context, rows []int64) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := t.exec(ctx, deleteRows, rows)
	return err
}

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, revision int64) (bool, error) {
	deleted, err := s.DeleteBatch(ctx, []driver.Ref{{Key: key, Revision: revision}})
	return err == nil && deleted[0], err
}

// DeleteBatch implements driver.BatchDeleter: it is one transaction.
func (s *Store) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	refs = append([]driver.Ref(nil), refs...)
	keys := make([]driver.Key, len(refs))
	for i, ref := range refs {
		keys[i] = ref.Key
	}
	return change(ctx, s, 1, func(ctx context.Context, t *transaction) ([]bool, bool, error) {
		there, err := t.heads(ctx, keys)
		if err != nil {
			return nil, false, err
		}
		deleted := make([]bool, len(refs))
		var rows []int64
		for i, ref := range refs {
			h, ok := there[ref.Key]
			if ok && (ref.Revision == 0 || ref.Revision == h.Revision) {
				deleted[i] = true
				rows = append(rows, h.row)
				delete(there, ref.Key)
			}
		}
		return deleted, len(rows) > 0, t.delete(ctx, rows)
	})
}

const deleteExpired = `DELETE FROM tea.tea_entries WHERE rowid IN (
	SELECT rowid FROM tea.tea_entries WHERE space = ? AND expires_at > 0 AND expires_at <= ?
	ORDER BY expires_at LIMIT ?)`

// DeleteExpired implements driver.Expirer.
func (s *Store) DeleteExpired(ctx context.Context, space driver.Space, now int64, limit int) (int, error) {
	return change(ctx, s, 1, func(ctx context.Context, t *transaction) (int, bool, error) {
		n, err := t.exec(ctx, deleteExpired, uint8(space), now, int64(max(limit, 0)))
		return int(n), n > 0, err
	})
}

const touch = `UPDATE tea.tea_entries SET accessed_at = ? WHERE rowid IN (SELECT unnest(?::BIGINT[]))`

// Touch implements driver.Toucher.
func (s *Store) Touch(ctx context.Context, keys []driver.Key, at int64) error {
	keys = append([]driver.Key(nil), keys...)
	_, err := change(ctx, s, 0, func(ctx context.Context, t *transaction) (none struct{}, _ bool, _ error) {
		there, err := t.heads(ctx, keys)
		if err != nil {
			return none, false, err
		}
		var rows []int64
		for _, h := range there {
			if h.AccessedAt < at {
				rows = append(rows, h.row)
			}
		}
		if len(rows) > 0 {
			_, err = t.exec(ctx, touch, at, rows)
		}
		return none, len(rows) > 0, err
	})
	return err
}

const queryRevision = `SELECT revision FROM tea.tea_store`

// Revision implements driver.Reviser.
func (s *Store) Revision(ctx context.Context) (int64, error) {
	return call(ctx, s, func(d *database) (n int64, err error) {
		one, err := d.stmt(ctx, queryRevision)
		if err != nil {
			return 0, err
		}
		return n, one.QueryRowContext(ctx).Scan(&n)
	})
}

const queryStats = `SELECT namespace, count(*), sum(size)::BIGINT FROM tea.tea_entries
WHERE space = ? GROUP BY namespace ORDER BY namespace`

// Stats implements driver.Stater.
func (s *Store) Stats(ctx context.Context, space driver.Space) ([]driver.Stats, error) {
	return call(ctx, s, func(d *database) ([]driver.Stats, error) {
		rows, err := d.db.QueryContext(ctx, queryStats, uint8(space))
		if err != nil {
			return nil, err
		}
		defer func() { _ = rows.Close() }() // rows.Err says what counts
		var counts []driver.Stats
		for rows.Next() {
			var c driver.Stats
			var namespace []byte
			if err := rows.Scan(&namespace, &c.Entries, &c.Bytes); err != nil {
				return nil, err
			}
			c.Namespace = string(namespace)
			counts = append(counts, c)
		}
		return counts, rows.Err()
	})
}

// Inspect implements driver.Inspector. The file has no clock of its own.
func (s *Store) Inspect(ctx context.Context) (driver.Facts, error) {
	return call(ctx, s, func(d *database) (driver.Facts, error) {
		f := driver.Facts{Newest: len(migrations())}
		err := d.db.QueryRowContext(ctx, "SELECT 'DuckDB ' || ltrim(version(), 'v'), format FROM tea.tea_store").Scan(&f.Product, &f.Format)
		return f, err
	})
}
