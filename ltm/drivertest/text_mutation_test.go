package drivertest_test

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

// textMutant is a sound store with a broken text search.
type textMutant struct {
	*sqliteltm.Store
	search func(context.Context, *sqliteltm.Store, driver.Query, []string) ([]driver.Hit, error)
	terms  func(string) string
}

func (m *textMutant) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	return m.search(ctx, m.Store, q, terms)
}

func (m *textMutant) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	if m.terms != nil {
		r.Terms = m.terms(r.Terms)
	}
	return m.Store.Put(ctx, r, c)
}

func TestEveryTextMutationIsNoticed(t *testing.T) {
	t.Parallel()
	type search = func(context.Context, *sqliteltm.Store, driver.Query, []string) ([]driver.Hit, error)
	good := func(ctx context.Context, s *sqliteltm.Store, q driver.Query, terms []string) ([]driver.Hit, error) {
		return s.Search(ctx, q, terms)
	}
	with := func(change func(*driver.Query, *[]string)) search {
		return func(ctx context.Context, s *sqliteltm.Store, q driver.Query, terms []string) ([]driver.Hit, error) {
			terms = slices.Clone(terms)
			change(&q, &terms)
			return s.Search(ctx, q, terms)
		}
	}
	for name, m := range map[string]textMutant{
		"asks for the first term only": {search: with(func(_ *driver.Query, terms *[]string) { *terms = (*terms)[:1] })},
		"ignores the glob":             {search: with(func(q *driver.Query, _ *[]string) { q.Glob = "" })},
		"ignores the filters":          {search: with(func(q *driver.Query, _ *[]string) { q.Filters = nil })},
		"ignores the expiry":           {search: with(func(q *driver.Query, _ *[]string) { q.LiveAt = 0 })},
		"ignores After":                {search: with(func(q *driver.Query, _ *[]string) { q.After = nil })},
		"drops marks":                  {search: good, terms: func(s string) string { return strings.ReplaceAll(s, "\u0301", "") }},
		"drops what is not ASCII": {search: good, terms: func(s string) string {
			return strings.Map(func(r rune) rune {
				if r > 127 {
					return ' '
				}
				return r
			}, s)
		}},
		"scores all alike": {search: func(ctx context.Context, s *sqliteltm.Store, q driver.Query, terms []string) ([]driver.Hit, error) {
			hits, err := s.Search(ctx, q, terms)
			for i := range hits {
				hits[i].Score = 0
			}
			return hits, err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noticed := drivertest.Notices(t.Context(), "text/", func() driver.Store {
				s, err := sqliteltm.Open(t.Context(), &url.URL{Scheme: "sqlite", Opaque: ":memory:"})
				if err != nil {
					t.Fatal(err)
				}
				broken := m
				broken.Store = s.(*sqliteltm.Store)
				return &broken
			})
			if !noticed {
				t.Error("no rule noticed")
			}
		})
	}
}
