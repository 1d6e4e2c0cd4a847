package sqliteltm

import (
	"context"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/sqlitesql"
)

// List implements driver.Store. SQL narrows the records down, through an index
// where there is one; where it cannot be exact, Query.Match has the last word.
func (s *Store) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	w := sqlitesql.Where(&q)
	if q.After != nil {
		w.After(&q)
	}
	from, err := s.source(ctx, &q, w)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	hits, err := s.collect(ctx, &q, w, "0.0", from, sqlitesql.OrderBy(&q))
	records := make([]driver.Record, len(hits))
	for i, h := range hits {
		records[i] = h.Record
	}
	return records, err
}

// found ranks the records that hold some words. It is computed before anything
// else, as bm25 works only there.
const found = `(SELECT rowid AS id, -bm25(words) AS score FROM words WHERE words MATCH ? LIMIT -1) AS f
CROSS JOIN entries AS e ON e.id = f.id`

// Search implements driver.FullText.
func (s *Store) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	q.Order, q.Desc = driver.ByKey, false
	w := sqlitesql.Where(&q)
	w.Args = append([]any{sqlitesql.Match(terms)}, w.Args...)
	if q.After != nil {
		w.Add("(-f.score, e.namespace, e.key) > (?, ?, ?)", -q.After.Score, q.After.Namespace, q.After.Key)
	}
	return s.collect(ctx, &q, w, "f.score", found, "-f.score, e.namespace, e.key")
}

// collect reads the records that match q, up to its limit. All of the SQL is
// constant text of this package; data comes in w.Args.
func (s *Store) collect(ctx context.Context, q *driver.Query, w *sqlitesql.Conditions, score, from, order string) ([]driver.Hit, error) {
	columns := valueColumns
	if q.KeysOnly {
		columns = keyColumns
		if len(q.Filters) > 0 {
			columns += ", e.metadata"
		}
	}
	query := "SELECT " + score + ", " + columns + " FROM " + from +
		" WHERE " + w.String() + " ORDER BY " + order
	if w.Exact {
		query += " LIMIT ?"
		w.Args = append(w.Args, q.Limit)
	}
	rows, err := s.read.query(ctx, query, w.Args...)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what counts
	var hits []driver.Hit
	for len(hits) < q.Limit && rows.Next() {
		h, ok, err := scan(q, rows.Scan)
		if err != nil {
			return nil, s.fail(ctx, err)
		}
		// A record that has two of the values asked for may come twice in a row.
		if again := len(hits) > 0 && hits[len(hits)-1].Key == h.Key; ok && !again {
			hits = append(hits, h)
		}
	}
	return hits, s.fail(ctx, rows.Err())
}

// scan reads a row and tells whether it matches.
func scan(q *driver.Query, into func(...any) error) (h driver.Hit, ok bool, err error) {
	var r row
	fields := r.valueFields()
	if q.KeysOnly {
		fields = r.keyFields()
		if len(q.Filters) > 0 {
			fields = append(fields, &r.Metadata)
		}
	}
	if err := into(append([]any{&h.Score}, fields...)...); err != nil {
		return h, false, err
	}
	if !q.KeysOnly {
		if err := r.check(); err != nil {
			return h, false, err
		}
	}
	ok, err = q.Match(&r.Record)
	if q.KeysOnly {
		r.Metadata = nil
	}
	h.Record = r.Record
	return h, ok, err
}
