// Package ranking orders what a text search finds, for stores whose index only
// tells which records to look at.
package ranking

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// Score ranks a text (words separated by single spaces) that holds every one of
// terms, and tells whether it does. It is that of BM25 as far as a record alone
// tells it: how rare a word is does not count, nor how long other texts are. So
// no other record changes it while pages are read.
func Score(text string, terms []string) (score float64, ok bool) {
	const k1, b, usual = 1.2, 0.75, 100 // usual is the length of a text
	counts, length := make([]int, len(terms)), 0
	for word := range strings.SplitSeq(text, " ") {
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

// Best keeps the best hits of those that are added, as many as a query wants. Of a
// record that is added twice it keeps one. Make one with New; it is for one
// goroutine.
type Best struct {
	q    *driver.Query
	hits []driver.Hit
}

// New returns what keeps the hits for a page of q.
func New(q *driver.Query) *Best { return &Best{q: q} }

// Add adds a hit, unless the page begins after it.
func (b *Best) Add(h driver.Hit) {
	if after := b.q.After; after != nil && compare(h, driver.Hit{
		Record: driver.Record{Key: driver.Key{Space: b.q.Space, Namespace: after.Namespace, Key: after.Key}}, Score: after.Score,
	}) <= 0 {
		return
	}
	if b.hits = append(b.hits, h); len(b.hits)/2 >= b.q.Limit {
		b.trim()
	}
}

// Hits returns the page.
func (b *Best) Hits() []driver.Hit {
	b.trim()
	return b.hits
}

// trim sorts the hits and leaves the best ones.
func (b *Best) trim() {
	slices.SortFunc(b.hits, compare)
	seen := make(map[driver.Key]bool, len(b.hits))
	b.hits = slices.DeleteFunc(b.hits, func(h driver.Hit) bool {
		was := seen[h.Key]
		seen[h.Key] = true
		return was
	})
	n := min(len(b.hits), b.q.Limit)
	clear(b.hits[n:]) // their values may be large
	b.hits = b.hits[:n]
}

func compare(a, b driver.Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), a.Key.Compare(b.Key))
}
