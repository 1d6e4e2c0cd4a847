package redisltm

import (
	"context"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/tea-agents/tea/ltm/driver"
)

// sortable is how many records are read and sorted rather than looked for in
// the order of the query.
const sortable = 5000

// plan is a way to find the records of a query.
type plan struct {
	spans   []span
	ordered bool // the spans are in the order of the query
}

// plan chooses the way that reads the least.
func (s *Store) plan(ctx context.Context, q *driver.Query) (plan, error) {
	byOrder := plan{ordered: true}
	if q.Order == driver.ByKey {
		byOrder.spans = spans(q, laneKey)
	} else {
		byOrder.spans = timeSpan(q)
	}
	if q.After != nil {
		byOrder.spans = after(byOrder.spans, direction(q.Desc), place(q, laneKey, q.After))
	}
	others := alternatives(q)
	if len(others) == 0 {
		return byOrder, nil
	}
	return s.cheapest(ctx, q, byOrder, others)
}

// alternatives returns other ways than the order of the query.
func alternatives(q *driver.Query) []plan {
	var all []plan
	for i := range q.Filters {
		heads, ok := filterHeads(&q.Filters[i])
		if !ok {
			continue
		}
		p := plan{ordered: q.Order == driver.ByKey && len(heads) == 1}
		for _, head := range heads {
			found := spans(q, head)
			if p.ordered && q.After != nil {
				found = after(found, direction(q.Desc), place(q, head, q.After))
			}
			p.spans = append(p.spans, found...)
		}
		all = append(all, p)
	}
	if q.Order != driver.ByKey && (q.Namespaces != nil || q.NamespacePrefix != "") {
		all = append(all, plan{spans: spans(q, laneKey)})
	}
	if q.ExpiredBy != 0 && q.Order != driver.ByExpiry {
		expired := driver.Query{Order: driver.ByExpiry, ExpiredBy: q.ExpiredBy}
		all = append(all, plan{spans: timeSpan(&expired)})
	}
	return slices.DeleteFunc(all, func(p plan) bool { return len(p.spans) > sortable })
}

// cheapest asks the index how much each of the others would read.
func (s *Store) cheapest(ctx context.Context, q *driver.Query, byOrder plan, others []plan) (plan, error) {
	index := s.index(q.Space)
	pipe := s.client.Pipeline()
	count := func(sp span) *redis.IntCmd { return pipe.ZLexCount(ctx, index, "["+sp.begin, "("+sp.end) }
	unindexed := count(span{laneOther, laneOther + last})
	counts := make([][]*redis.IntCmd, len(others))
	for i, p := range others {
		for _, sp := range p.spans {
			counts[i] = append(counts[i], count(sp))
		}
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return byOrder, err
	}
	best, least := byOrder, int64(-1)
	for i, p := range others {
		var n int64
		for _, c := range counts[i] {
			n += c.Val()
		}
		if unindexed.Val() > 0 && len(p.spans) > 0 && p.spans[0].begin[:1] == laneMeta {
			continue // the index does not know them all
		}
		if (p.ordered || n <= sortable) && (least < 0 || n < least) {
			best, least = p, n
		}
	}
	return best, nil
}
