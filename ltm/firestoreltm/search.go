package firestoreltm

import (
	"cmp"
	"context"
	"slices"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/ranking"
)

// maxDisjunctions is how many values a query may ask for at once.
const maxDisjunctions = 30

// Search implements driver.FullText. Records score as package ranking says.
func (s *Store) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	q.Order, q.Desc = driver.ByKey, false
	r := &search{store: s, q: &q, terms: terms, best: ranking.New(&q)}
	if err := s.do(ctx, r.collect); err != nil {
		return nil, err
	}
	return r.best.Hits(), nil
}

// search is a Search under way.
type search struct {
	store *Store
	q     *driver.Query
	terms []string
	best  *ranking.Best
}

// collect finds hits by the word that is likely the rarest, the longest one; or
// among all records, where there is no index for so many namespaces.
func (r *search) collect(ctx context.Context) error {
	var fields []string
	if r.q.KeysOnly {
		fields = append(listFields(len(r.q.Filters) > 0), fieldTerms)
	}
	if r.q.Namespaces == nil || len(r.q.Namespaces) >= maxDisjunctions {
		all := *r.q
		all.After, all.Limit = nil, maxRows
		w := &walker{store: r.store, q: &all, fields: fields, take: func(ctx context.Context, found []*document) (bool, error) {
			for _, d := range found {
				if err := r.add(ctx, d); err != nil {
					return false, err
				}
			}
			return false, nil
		}}
		return w.walk(ctx)
	}
	longest := slices.MaxFunc(r.terms, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	wanted := []string{manyWords}
	for _, namespace := range r.q.Namespaces {
		wanted = append(wanted, wordToken(namespace, longest))
	}
	q := &pb.StructuredQuery{Select: projection(fields), Where: oneOf(wanted)}
	return r.store.query(ctx, r.q.Space, q, func(d *document) error { return r.add(ctx, d) })
}

// add adds a record if it is a hit.
func (r *search) add(ctx context.Context, d *document) error {
	d, err := r.store.match(ctx, r.q, d, true)
	if err != nil || d == nil {
		return err
	}
	score, ok := ranking.Score(d.Terms, r.terms)
	if !ok {
		return nil
	}
	r.best.Add(driver.Hit{Record: d.record(r.q), Score: score})
	return nil
}
