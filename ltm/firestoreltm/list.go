package firestoreltm

import (
	"context"

	"github.com/tea-agents/tea/ltm/driver"
)

// List implements driver.Store.
func (s *Store) List(ctx context.Context, q driver.Query) (page []driver.Record, err error) {
	w, seen := &walker{store: s, q: &q}, map[driver.Key]bool{}
	if q.KeysOnly {
		w.fields = listFields(len(q.Filters) > 0)
	}
	w.take = func(ctx context.Context, found []*document) (done bool, err error) {
		for _, d := range found {
			if len(page) == q.Limit {
				break
			}
			if d, err = s.match(ctx, &q, d, false); err != nil {
				return false, err
			}
			if d != nil && !seen[d.Key] { // it may move in the order meanwhile
				seen[d.Key] = true
				page = append(page, d.record(&q))
			}
		}
		return len(page) == q.Limit, nil
	}
	err = s.do(ctx, func(ctx context.Context) error {
		if ok, err := w.gather(ctx); ok || err != nil {
			return err
		}
		return w.walk(ctx)
	})
	if err != nil {
		return nil, err
	}
	return page, nil
}

// match returns d if it is what q selects, else nil. It has its parts where q
// wants its value, or terms is set.
func (s *Store) match(ctx context.Context, q *driver.Query, d *document, terms bool) (*document, error) {
	for need := terms || len(q.Filters) > 0; ; need = true {
		if need {
			var err error
			if d, err = s.whole(ctx, d); err != nil || d == nil {
				return nil, err
			}
		}
		if ok, err := q.Match(&d.Record); err != nil || !ok {
			return nil, err
		}
		if !d.far || q.KeysOnly {
			return d, nil
		}
	}
}

// record returns what of d a query wants.
func (d *document) record(q *driver.Query) driver.Record {
	r := d.Record
	r.Terms = ""
	if q.KeysOnly {
		r.Value, r.Metadata = nil, nil
	}
	return r
}
