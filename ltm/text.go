package ltm

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// words splits text into the words that a search compares: runs of letters,
// marks and digits in lower case. In scripts that are written without spaces
// every character is a word.
func words(text string) []string {
	var found []string
	start := -1
	end := func(i int) {
		if start >= 0 {
			found = append(found, strings.ToLower(text[start:i]))
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			end(i)
			found = append(found, string(r))
		case unicode.In(r, unicode.L, unicode.M, unicode.N):
			if start < 0 {
				start = i
			}
		default:
			end(i)
		}
	}
	end(len(text))
	return found
}

// indexed returns the terms by which an entry is found.
func indexed(key string, v, metadata value.Value) string {
	terms := words(key)
	terms = appendWords(terms, v)
	terms = appendWords(terms, metadata)
	return strings.Join(terms, " ")
}

// appendWords appends the words of all keys, strings and numbers in v.
func appendWords(dst []string, v value.Value) []string {
	switch v.Kind() {
	case value.KindString:
		return append(dst, words(v.Text())...)
	case value.KindInt, value.KindFloat:
		return append(dst, words(v.String())...)
	case value.KindList:
		for _, item := range v.Items() {
			dst = appendWords(dst, item)
		}
	case value.KindObject:
		for key, member := range v.Members() {
			dst = appendWords(append(dst, words(key)...), member)
		}
	}
	return dst
}

// textHits finds records by the words of text.
func (m *Memory) textHits(ctx context.Context, d driver.Query, text string) ([]driver.Hit, error) {
	terms := words(text)
	slices.Sort(terms)
	terms = slices.Compact(terms)
	if len(terms) == 0 {
		return nil, invalid("the text %q has no word to search for", short(text))
	}
	s, err := m.use(ctx)
	if err != nil {
		return nil, err
	}
	hits, err := driver.Search(ctx, s, d, terms)
	if errors.Is(err, errors.ErrUnsupported) {
		return m.scanText(ctx, d, terms)
	}
	return hits, err
}

// candidate is a record that holds all terms of a search.
type candidate struct {
	record driver.Record
	counts []int // how often each term occurs
	length int   // in words
}

// scanText searches a store that has no text index: it reads all records that
// match the rest of the query and ranks them by BM25.
func (m *Memory) scanText(ctx context.Context, d driver.Query, terms []string) ([]driver.Hit, error) {
	var found []candidate
	var total, length int
	whole := d
	whole.KeysOnly = false
	for r, err := range m.all(ctx, whole) {
		if err != nil {
			return nil, err
		}
		e, err := open(&r)
		if err != nil {
			return nil, &Error{Op: "read", Key: r.Key.Key, Err: err}
		}
		c := candidate{record: r, counts: make([]int, len(terms))}
		for _, w := range strings.Fields(indexed(e.Key, e.Value, e.Metadata)) {
			c.length++
			if i, ok := slices.BinarySearch(terms, w); ok {
				c.counts[i]++
			}
		}
		total, length = total+1, length+c.length
		if !slices.Contains(c.counts, 0) {
			found = append(found, c)
		}
	}
	return ranked(found, total, length, d), nil
}

// ranked scores candidates and returns the page that d asks for.
func ranked(found []candidate, total, length int, d driver.Query) []driver.Hit {
	const k1, b = 1.2, 0.75
	idf := math.Log(1 + (float64(total-len(found))+0.5)/(float64(len(found))+0.5))
	hits := make([]driver.Hit, 0, len(found))
	for _, c := range found {
		h := driver.Hit{Record: c.record}
		norm := k1 * (1 - b + b*float64(c.length)*float64(total)/float64(length))
		for _, n := range c.counts {
			h.Score += idf * float64(n) * (k1 + 1) / (float64(n) + norm)
		}
		if d.After == nil || byScore(driver.Hit{
			Record: driver.Record{Key: driver.Key{Space: d.Space, Namespace: d.After.Namespace, Key: d.After.Key}},
			Score:  d.After.Score,
		}, h) < 0 {
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, byScore)
	hits = hits[:min(len(hits), d.Limit)]
	if d.KeysOnly {
		for i := range hits {
			hits[i].Value, hits[i].Metadata = nil, nil
		}
	}
	return hits
}

func byScore(a, b driver.Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), a.Key.Compare(b.Key))
}
