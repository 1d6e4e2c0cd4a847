package libsqlltm

import (
	"context"
	"math"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/sqlitesql"
)

// List implements driver.Store. SQL narrows the records down, through an index
// where there is one; where it cannot be exact, Query.Match has the last word.
func (s *Store) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	hits, err := s.collect(ctx, &selection{query: q, page: func(q *driver.Query) (string, *sqlitesql.Conditions) {
		w := sqlitesql.Where(q)
		if q.After != nil {
			w.After(q)
		}
		return "SELECT 0, " + columns(q) + " FROM tea_entries AS e WHERE " + w.String() +
			" ORDER BY " + sqlitesql.OrderBy(q), w
	}})
	records := make([]driver.Record, len(hits))
	for i, h := range hits {
		records[i] = h.Record
	}
	return records, err
}

// scoreUnit is what a score is counted in. As integers scores cross the wire
// unchanged, so that a search goes on exactly where it stopped.
const scoreUnit = 1e-12

// found ranks the records that hold some words. It is computed before anything
// else, as bm25 works only there.
const found = `(SELECT rowid AS id, CAST(bm25(tea_words) * -1e12 AS INTEGER) AS score
FROM tea_words WHERE tea_words MATCH ? LIMIT -1) AS f CROSS JOIN tea_entries AS e ON e.id = f.id`

// Search implements driver.FullText.
func (s *Store) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	q.Order, q.Desc = driver.ByKey, false
	return s.collect(ctx, &selection{query: q, page: func(q *driver.Query) (string, *sqlitesql.Conditions) {
		w := sqlitesql.Where(q)
		w.Args = append([]any{sqlitesql.Match(terms)}, w.Args...)
		if q.After != nil {
			w.Add("(-f.score, e.namespace, e.key) > (?, ?, ?)",
				-int64(math.Round(q.After.Score/scoreUnit)), q.After.Namespace, q.After.Key)
		}
		return "SELECT f.score, " + columns(q) + " FROM " + found + " WHERE " + w.String() +
			" ORDER BY -f.score, e.namespace, e.key", w
	}})
}

// columns returns the columns that scanHit reads.
func columns(q *driver.Query) string {
	switch {
	case !q.KeysOnly:
		return valueColumns
	case len(q.Filters) > 0:
		return keyColumns + ", e.metadata"
	default:
		return keyColumns
	}
}

// selection is a query and the SQL that selects what follows its After.
type selection struct {
	query driver.Query
	page  func(*driver.Query) (string, *sqlitesql.Conditions)
	rows  int // at most in an answer, as far as is known
}

// How many rows are asked for at a time. The server refuses an answer over 10 MB
// (unless it is told otherwise); then fewer are.
const (
	maxRows = 1000
	minRows = 100 // where not every row is a hit
)

// collect reads the records that are selected, up to the limit.
func (s *Store) collect(ctx context.Context, sel *selection) (hits []driver.Hit, err error) {
	sel.rows = maxRows
	err = s.do(ctx, func(ctx context.Context) error {
		return s.client.look(ctx, func(ask asker) error {
			hits, err = sel.collect(ctx, ask)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return hits, nil
}

func (sel *selection) collect(ctx context.Context, ask asker) (hits []driver.Hit, err error) {
	q := sel.query
	for len(hits) < sel.query.Limit {
		text, w := sel.page(&q)
		want := sel.query.Limit - len(hits)
		if !w.Exact {
			want = max(2*want, minRows)
		}
		want = min(want, sel.rows)
		results, err := ask(ctx, sql(text+" LIMIT ?", append(w.Args, want)...))
		switch {
		case tooLarge(err) && want > 1:
			sel.rows = want / 2
			continue
		case forgotten(err): // the answer before was large, or the machine is slow
			sel.rows = max(want/2, 1)
			return nil, err
		case err != nil:
			return nil, err
		}
		got := results[0].Rows
		for i := 0; i < len(got) && len(hits) < sel.query.Limit; i++ {
			h, ok, err := sel.hit(ctx, ask, got[i])
			if err != nil {
				return nil, err
			}
			if ok {
				hits = append(hits, h)
			}
			after := q.Position(&h.Record)
			after.Score = h.Score
			q.After = &after
		}
		if len(got) < want {
			break
		}
	}
	return hits, nil
}

// hit reads a row and tells whether it matches.
func (sel *selection) hit(ctx context.Context, ask asker, row []cell) (h driver.Hit, ok bool, err error) {
	q := &sel.query
	var score, space int64
	into := append([]any{&score}, fields(&h.Record, &space)...)
	if !q.KeysOnly {
		into = append(into, &h.Metadata, &h.Value)
	} else if len(q.Filters) > 0 {
		into = append(into, &h.Metadata)
	}
	if err := scan(row, into...); err != nil {
		return h, false, err
	}
	h.Score, h.Key.Space = float64(score)*scoreUnit, q.Space
	if ok, err = q.Match(&h.Record); err != nil || !ok {
		return h, false, err
	}
	if q.KeysOnly {
		h.Metadata = nil
		return h, true, nil
	}
	return h, true, fill(ctx, ask, &h.Record)
}
