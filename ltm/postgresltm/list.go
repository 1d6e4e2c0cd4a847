package postgresltm

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/tea-agents/tea/ltm/driver"
)

// List implements driver.Store.
func (s *Store) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	w := where(&q)
	column := orderColumn(q.Order)
	if q.After != nil {
		w.after(&q, column)
	}
	order := []string{"e.place", "e.namespace", "e.key"}
	if column != "" {
		order = append([]string{column}, order...)
	}
	direction := ""
	if q.Desc {
		direction = " DESC"
	}
	sorted := strings.Join(order, direction+", ") + direction
	hits, err := s.collect(ctx, &q, w, "0::float8", sorted)
	records := make([]driver.Record, len(hits))
	for i := range hits {
		records[i] = hits[i].Record
	}
	return records, err
}

// Search implements driver.FullText. What has too many words for a vector is
// found all the same, and comes last.
func (s *Store) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	q.Order, q.Desc = driver.ByKey, false
	w := where(&q)
	query := w.arg(match(terms)) + "::text::tsquery"
	w.add("(e.terms @@ ", query, " OR e.long_terms IS NOT NULL AND string_to_array(e.long_terms, ' ') @> ",
		w.arg(escaped(terms)), "::text[])")
	// The rank is divided by the logarithm of the length.
	score := "greatest(ts_rank(e.terms, " + query + ", 1)::float8, 1e-30)"
	if q.After != nil {
		at, _ := place(&driver.Key{Namespace: q.After.Namespace, Key: q.After.Key})
		w.add("(-", score, ", e.place, e.namespace, e.key) > (", w.arg(-q.After.Score), "::float8, ",
			w.arg(at), ", ", w.arg([]byte(q.After.Namespace)), ", ", w.arg([]byte(q.After.Key)), ")")
	}
	return s.collect(ctx, &q, w, score, "-"+score+", e.place, e.namespace, e.key")
}

const (
	declare = "DECLARE tea_list NO SCROLL CURSOR FOR "
	fetch   = "FETCH 100 FROM tea_list"
	fetched = 100
)

// collect reads the records that match q, up to its limit. All of the SQL is
// constant text of this package; data comes in w.args. Where SQL is not exact,
// Query.Match has the last word.
func (s *Store) collect(ctx context.Context, q *driver.Query, w *conditions, score, order string) (hits []driver.Hit, err error) {
	columns := valueColumns
	if q.KeysOnly {
		columns = keyColumns
		if !w.exact {
			columns += ", e.metadata"
		}
	}
	limit := w.arg(max(q.Limit, 0))
	query := "SELECT " + score + ", " + columns + " FROM tea_entries AS e WHERE " +
		strings.Join(w.sql, " AND ") + " ORDER BY " + order
	err = s.read(ctx, func(ctx context.Context) error {
		hits = nil
		if !w.exact {
			hits, err = s.sift(ctx, q, query, w.args[:len(w.args)-1])
			return err
		}
		// The plan depends on what is asked for: each query gets one of its own.
		args := append([]any{pgx.QueryExecModeCacheDescribe}, w.args...)
		return each(ctx, s.pool, query+" LIMIT "+limit, args, func(rows pgx.Rows) error {
			h, err := scan(q, rows, true)
			hits = append(hits, h)
			return err
		})
	})
	return hits, err
}

// sift reads through a cursor until it has found enough.
func (s *Store) sift(ctx context.Context, q *driver.Query, query string, args []any) (hits []driver.Hit, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		args := append([]any{pgx.QueryExecModeCacheDescribe}, args...)
		if _, err := tx.Exec(ctx, declare+query, args...); err != nil {
			return err
		}
		for len(hits) < q.Limit {
			n := 0
			// The cursor is another one each time: its rows are not those of a statement prepared before.
			err := each(ctx, tx, fetch, []any{pgx.QueryExecModeDescribeExec}, func(rows pgx.Rows) error {
				n++
				h, err := scan(q, rows, false)
				if err != nil || len(hits) == q.Limit {
					return err
				}
				if ok, err := q.Match(&h.Record); !ok || err != nil {
					return err
				}
				if q.KeysOnly {
					h.Metadata = nil
				}
				hits = append(hits, h)
				return nil
			})
			if err != nil || n < fetched {
				return err
			}
		}
		return nil
	})
	return hits, err
}

// scan reads a row.
func scan(q *driver.Query, rows pgx.Rows, exact bool) (h driver.Hit, err error) {
	var r row
	fields := r.valueFields()
	if q.KeysOnly {
		fields = r.keyFields()
		if !exact {
			fields = append(fields, &r.Metadata)
		}
	}
	err = rows.Scan(append([]any{&h.Score}, fields...)...)
	h.Record = r.record()
	return h, err
}

// orderColumn returns the time that an order begins with, "" for none. That
// package sqlitesql says the same is chance: the columns of this table are a
// format of its own, and may change while those of SQLite's stay.
func orderColumn(o driver.Order) string {
	switch o {
	case driver.ByCreated:
		return "e.created_at"
	case driver.ByUpdated:
		return "e.updated_at"
	case driver.ByAccessed:
		return "e.accessed_at"
	case driver.ByExpiry:
		return "e.expires_at"
	default:
		return ""
	}
}
