package duckdbltm

import (
	"context"
	"database/sql"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// The size of a part of candidates that are read at once, when only Match can
// tell which of them are the answer.
const (
	firstPart = 256
	lastPart  = 16384
)

// List implements driver.Store. SQL narrows the records down; where it cannot be
// exact, Query.Match has the last word.
func (s *Store) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	hits, err := s.collect(ctx, &q, search{
		from: "tea.tea_entries AS e", score: "0.0::DOUBLE", order: orderBy(&q),
		after: func(w *conditions, p driver.Position) { w.after(&q, p) },
	})
	records := make([]driver.Record, len(hits))
	for i, h := range hits {
		records[i] = h.Record
	}
	return records, err
}

// Search implements driver.FullText. It scores as BM25 does if all words are
// equally rare, and records have 50 of them on average.
func (s *Store) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	q.Order, q.Desc = driver.ByKey, false
	var scores, holds []string
	var args []any
	for _, term := range terms {
		term = " " + term + " "
		// 1 - k / (n + k) is n / (n + k), where n is how often the term is there.
		scores = append(scores, "1 - k / ((strlen(terms) - strlen(replace(terms, ?, ''))) / strlen(?) + k)")
		args = append(args, term, term)
		holds = append(holds, "contains(terms, ?)")
	}
	for _, term := range terms {
		args = append(args, " "+term+" ")
	}
	return s.collect(ctx, &q, search{
		from: "(SELECT *, 0.3 + 0.018 * words AS k, (" + strings.Join(scores, " + ") + ")::DOUBLE AS score" +
			" FROM tea.tea_entries WHERE " + strings.Join(holds, " AND ") + ") AS e",
		args: args, score: "e.score", order: "-e.score, e.namespace, e.key",
		after: func(w *conditions, p driver.Position) {
			w.add("(-e.score, e.namespace, e.key) > (?, ?, ?)", -p.Score, []byte(p.Namespace), []byte(p.Key))
		},
	})
}

// search is what List and Search have of their own. All of the SQL is constant
// text of this package.
type search struct {
	from  string
	args  []any // of from
	score string
	order string
	after func(*conditions, driver.Position) // selects what follows a place in the order
}

// collect reads the records that match q, up to its limit, all at one time.
func (s *Store) collect(ctx context.Context, q *driver.Query, x search) ([]driver.Hit, error) {
	return call(ctx, s, func(d *database) ([]driver.Hit, error) {
		tx, err := d.db.BeginTx(ctx, nil)
		if err != nil {
			return nil, err
		}
		defer func() { _ = tx.Rollback() }() // there is nothing to undo
		var hits []driver.Hit
		after, size := q.After, q.Limit
		for {
			w := where(q)
			if after != nil {
				x.after(w, *after)
			}
			if !w.exact {
				size = min(max(size, firstPart), max(lastPart, q.Limit))
			}
			part, err := x.part(ctx, tx, q, w, size)
			if err != nil {
				return nil, err
			}
			for i := range part {
				if hits, err = keep(hits, q, &part[i]); err != nil || len(hits) == q.Limit {
					return hits, err
				}
			}
			if w.exact || len(part) < size {
				return hits, nil
			}
			last := &part[len(part)-1]
			place := q.Position(&last.Record)
			place.Score = last.Score
			after, size = &place, 2*size
		}
	})
}

// keep appends h if it matches q.
func keep(hits []driver.Hit, q *driver.Query, h *driver.Hit) ([]driver.Hit, error) {
	ok, err := q.Match(&h.Record)
	if err != nil || !ok {
		return hits, err
	}
	if q.KeysOnly {
		h.Metadata = nil
	}
	return append(hits, *h), nil
}

// part reads the first records that fulfil the conditions.
func (x *search) part(ctx context.Context, tx *sql.Tx, q *driver.Query, w *conditions, size int) ([]driver.Hit, error) {
	columns := allColumns
	if q.KeysOnly {
		columns = headColumns + ", e.metadata"
	}
	//nolint:gosec // every part is constant text of this package
	query := "SELECT " + x.score + ", " + columns + " FROM " + x.from +
		" WHERE " + w.String() + " ORDER BY " + x.order + " LIMIT ?"
	args := append(append(append([]any{}, x.args...), w.args...), int64(size))
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err says what counts
	var hits []driver.Hit
	for rows.Next() {
		var h driver.Hit
		var r row
		fields := r.allFields()
		if q.KeysOnly {
			fields = append(r.headFields(), &r.metadata)
		}
		if err := rows.Scan(append([]any{&h.Score}, fields...)...); err != nil {
			return nil, err
		}
		h.Record = r.record()
		hits = append(hits, h)
	}
	return hits, rows.Err()
}
