package sealed

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// part is how many records are read at a time where filters are checked here.
const part = 500

// List implements driver.Store.
func (s *Store) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	return filtered(s, q, func(q driver.Query) ([]driver.Record, error) {
		return s.Store.List(ctx, q)
	}, func(r *driver.Record) *driver.Record { return r }, q.Position)
}

// Search implements driver.FullText. A record that was encrypted with an older
// key is found by its words only after it was put again.
func (s *Store) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	hidden := make([]string, len(terms))
	for i, term := range terms {
		hidden[i] = s.hashed(term)
	}
	return filtered(s, q, func(q driver.Query) ([]driver.Hit, error) {
		return s.Layer.Search(ctx, q, hidden)
	}, func(h *driver.Hit) *driver.Record { return &h.Record }, nil)
}

// filtered asks for pages until there are enough records that pass the filters,
// which it checks on what was decrypted. The function place returns the place of
// a record in the order, nil is by score.
func filtered[T any](
	s *Store, q driver.Query, list func(driver.Query) ([]T, error),
	record func(*T) *driver.Record, place func(*driver.Record) driver.Position,
) ([]T, error) {
	if len(q.Filters) == 0 || s.clear {
		page, err := list(q)
		for i := range page {
			if err := s.decrypt(record(&page[i])); err != nil {
				return nil, err
			}
		}
		return page, err
	}
	inner := q
	inner.Filters, inner.KeysOnly, inner.Limit = nil, false, max(part, q.Limit)
	var kept []T
	for {
		page, err := list(inner)
		if err != nil {
			return nil, err
		}
		for i := range page {
			r := record(&page[i])
			if err := s.decrypt(r); err != nil {
				return nil, err
			}
			ok, err := q.Match(r)
			if err != nil {
				return nil, err
			}
			if q.KeysOnly {
				r.Value, r.Metadata = nil, nil
			}
			if ok {
				kept = append(kept, page[i])
			}
			if len(kept) == q.Limit {
				return kept, nil
			}
		}
		if len(page) < inner.Limit {
			return kept, nil
		}
		inner.After = after(&page[len(page)-1], record, place)
	}
}

// after returns the place of the last of a page.
func after[T any](last *T, record func(*T) *driver.Record, place func(*driver.Record) driver.Position) *driver.Position {
	r := record(last)
	if place != nil {
		p := place(r)
		return &p
	}
	p := driver.Position{Namespace: r.Key.Namespace, Key: r.Key.Key}
	if h, ok := any(last).(*driver.Hit); ok {
		p.Score = h.Score
	}
	return &p
}

// hashed returns terms each as a keyed hash, in an order that does not tell
// where they stood.
func (s *Store) hashed(terms string) string {
	words := strings.Fields(terms)
	mac := hmac.New(sha256.New, s.keys[0].terms[:])
	for i, word := range words {
		mac.Reset()
		mac.Write([]byte(word))
		words[i] = hex.EncodeToString(mac.Sum(nil)[:16])
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}
