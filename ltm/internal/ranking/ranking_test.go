package ranking_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/ranking"
)

func TestATextIsAHitWhenItHoldsEveryTerm(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text  string
		terms []string
		want  bool
	}{
		{"red tea", []string{"tea"}, true},
		{"red tea", []string{"red", "tea"}, true},
		{"red tea", []string{"green", "tea"}, false},
		{"red teapot", []string{"tea"}, false},
		{"", []string{"tea"}, false},
	} {
		if score, ok := ranking.Score(tc.text, tc.terms); ok != tc.want || (score > 0) != tc.want {
			t.Errorf("%q in %q: %v, %v", tc.terms, tc.text, score, ok)
		}
	}
}

func TestDenserTextsScoreHigher(t *testing.T) {
	t.Parallel()
	last := 0.0
	for _, text := range []string{"tea with much milk and sugar", "tea with milk", "tea", "tea tea"} {
		score, _ := ranking.Score(text, []string{"tea"})
		if score <= last {
			t.Errorf("%q scores %v, not more than %v", text, score, last)
		}
		last = score
	}
}

func TestPagesHoldEveryHitOnceInOrder(t *testing.T) {
	t.Parallel()
	const n = 100
	dice := rand.New(rand.NewPCG(1, 1))
	for _, limit := range []int{1, 2, 7, n, 1 << 62} {
		q := driver.Query{Limit: limit}
		last, seen := driver.Hit{Score: 99}, map[string]bool{}
		for {
			best := ranking.New(&q)
			for _, i := range dice.Perm(n) {
				best.Add(driver.Hit{Record: driver.Record{Key: driver.Key{Key: fmt.Sprintf("%03d", i)}}, Score: float64(i % 5)})
			}
			page := best.Hits()
			if len(page) > limit {
				t.Fatalf("%d hits, limit %d", len(page), limit)
			}
			for _, h := range page {
				if h.Score > last.Score || h.Score == last.Score && h.Key.Key <= last.Key.Key || seen[h.Key.Key] {
					t.Errorf("limit %d: %v %v follows %v %v", limit, h.Score, h.Key, last.Score, last.Key)
				}
				last, seen[h.Key.Key] = h, true
			}
			if len(page) == 0 {
				break
			}
			q.After = &driver.Position{Score: last.Score, Key: last.Key.Key}
		}
		if len(seen) != n {
			t.Errorf("limit %d: %d of %d", limit, len(seen), n)
		}
	}
}
