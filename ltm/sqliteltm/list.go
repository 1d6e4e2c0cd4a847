package sqliteltm

import (
	"context"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// List implements driver.Store. SQL narrows the records down, through an index
// where there is one; where it cannot be exact, Query.Match has the last word.
func (s *Store) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	w := where(&q)
	column := orderColumn(q.Order)
	if q.After != nil {
		w.after(&q, column)
	}
	direction := ""
	if q.Desc {
		direction = " DESC"
	}
	order := "e.namespace" + direction + ", e.key" + direction
	if column != "" {
		order = column + direction + ", " + order
	}
	hits, err := s.collect(ctx, &q, w, "0.0", "entries AS e", order)
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
	q.Order, q.Desc = driver.ByKey, false
	w := where(&q)
	w.args = append([]any{match(terms)}, w.args...)
	if q.After != nil {
		w.add("(-f.score, e.namespace, e.key) > (?, ?, ?)", -q.After.Score, q.After.Namespace, q.After.Key)
	}
	return s.collect(ctx, &q, w, "f.score", found, "-f.score, e.namespace, e.key")
}

// match returns an FTS5 expression for records that hold all terms.
func match(terms []string) string {
	quoted := make([]string, len(terms))
	for i, term := range terms {
		quoted[i] = `"` + strings.ReplaceAll(term, `"`, `""`) + `"`
	}
	return strings.Join(quoted, " AND ")
}

// collect reads the records that match q, up to its limit. All of the SQL is
// constant text of this package; data comes in w.args.
func (s *Store) collect(ctx context.Context, q *driver.Query, w *conditions, score, from, order string) ([]driver.Hit, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	columns := valueColumns
	if q.KeysOnly {
		columns = keyColumns
		if len(q.Filters) > 0 {
			columns += ", e.metadata"
		}
	}
	//nolint:gosec // every part is constant text of this package
	query := "SELECT " + score + ", " + columns + " FROM " + from +
		" WHERE " + strings.Join(w.sql, " AND ") + " ORDER BY " + order
	if w.exact {
		query += " LIMIT ?"
		w.args = append(w.args, q.Limit)
	}
	rows, err := s.read.db.QueryContext(ctx, query, w.args...)
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
		if ok {
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

// orderColumn returns the time that an order begins with, "" for none.
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
