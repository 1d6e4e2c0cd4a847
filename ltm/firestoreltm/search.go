package firestoreltm

import (
	"cmp"
	"context"
	"slices"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"github.com/tea-agents/tea/ltm/driver"
)

// maxDisjunctions is how many values a query may ask for at once.
const maxDisjunctions = 30

// Search implements driver.FullText. The score is that of BM25 as far as a record
// alone tells it: how rare a word is does not count, nor how long others are.
func (s *Store) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	q.Order, q.Desc = driver.ByKey, false
	r := &ranking{store: s, q: &q, terms: terms}
	if err := s.do(ctx, r.collect); err != nil {
		return nil, err
	}
	r.trim()
	return r.hits, nil
}

// ranking is a Search under way.
type ranking struct {
	store *Store
	q     *driver.Query
	terms []string
	hits  []driver.Hit
}

// collect finds hits by the word that is likely the rarest, the longest one; or
// among all records, where there is no index for so many namespaces.
func (r *ranking) collect(ctx context.Context) error {
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
func (r *ranking) add(ctx context.Context, d *document) error {
	d, err := r.store.match(ctx, r.q, d, true)
	if err != nil || d == nil {
		return err
	}
	score, ok := scoreOf(d.Terms, r.terms)
	if !ok {
		return nil
	}
	h := driver.Hit{Record: d.record(r.q), Score: score}
	if after := r.q.After; after != nil && compareHits(&h, &driver.Hit{
		Record: driver.Record{Key: driver.Key{Space: r.q.Space, Namespace: after.Namespace, Key: after.Key}}, Score: after.Score,
	}) <= 0 {
		return nil
	}
	if r.hits = append(r.hits, h); len(r.hits) >= 2*max(r.q.Limit, maxRows) {
		r.trim()
	}
	return nil
}

// trim sorts the hits and leaves the best ones.
func (r *ranking) trim() {
	slices.SortFunc(r.hits, func(a, b driver.Hit) int { return compareHits(&a, &b) })
	r.hits = r.hits[:min(len(r.hits), r.q.Limit)]
}

func compareHits(a, b *driver.Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), a.Key.Compare(b.Key))
}

// scoreOf ranks a text that holds all terms.
func scoreOf(text string, terms []string) (score float64, ok bool) {
	const k1, b, usual = 1.2, 0.75, 100 // usual is the length of a text
	counts, length := make([]int, len(terms)), 0
	for word := range strings.FieldsSeq(text) {
		length++
		for i, term := range terms {
			if word == term {
				counts[i]++
			}
		}
	}
	norm := k1 * (1 - b + b*float64(length)/usual)
	for _, n := range counts {
		if n == 0 {
			return 0, false
		}
		score += float64(n) * (k1 + 1) / (float64(n) + norm)
	}
	return score, true
}
