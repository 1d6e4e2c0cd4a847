package redisltm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/ranking"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// reference is a store in memory whose search looks at every record.
type reference struct {
	*memltm.Store
	terms map[driver.Key]string
}

func (m *reference) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	whole := q
	whole.KeysOnly = false
	best := ranking.New(&q)
	for r, err := range driver.All(ctx, m.Store, whole) {
		if err != nil {
			return nil, err
		}
		if q.KeysOnly {
			r.Value, r.Metadata = nil, nil
		}
		if score, ok := ranking.Score(m.terms[r.Key], terms); ok {
			best.Add(driver.Hit{Record: r, Score: score})
		}
	}
	return best.Hits(), nil
}

// pair is a store and the reference, to which the same is done.
type pair struct {
	store *memory
	model *reference
	dice  *rand.Rand
}

// memory is a store with what is beneath it.
type memory struct {
	driver.Store
	raw *redis.Client
}

func newPair(t *testing.T, seed uint64) *pair {
	t.Helper()
	addr := start(t)
	return &pair{
		&memory{open(t, "redis://"+addr), raw(t, addr)},
		&reference{memltm.New(), map[driver.Key]string{}},
		rand.New(rand.NewPCG(seed, 0)),
	}
}

func pick[T any](p *pair, of ...T) T { return of[p.dice.IntN(len(of))] }

func (p *pair) word() string {
	return pick(p, "tea", "teas", "te", "a", "or", "*", "日", "ä", "a\u0308", "नमस्ते", "\x00", "a\x00b", "\U0010ffff",
		"tea\x00\x01k", strings.Repeat("long", 5_000), "'", `"`, "42")
}

// key returns one of few keys, so that they meet again.
func (p *pair) key() driver.Key {
	return driver.Key{Namespace: pick(p, "", "n", "n\x00", "n\U0010ffff", "日"), Key: pick(p, "k", "k1", "k2", "k\x00", "\x01k", "日本", strings.Repeat("k", 60_000))}
}

func (p *pair) record(now int64) driver.Record {
	r := driver.Record{Key: p.key(), Value: fmt.Append(nil, p.dice.Int()), UpdatedAt: now}
	r.Metadata = pick(p, []byte("{}"), []byte(`{"a":1}`), []byte(`{"a":2}`))
	r.ExpiresAt = pick(p, 0, 0, now+int64(p.dice.IntN(40)))
	var words []string
	for range p.dice.IntN(9) {
		words = append(words, p.word())
	}
	if p.dice.IntN(10) == 0 {
		words = append(words, manyWords()...)
	}
	r.Terms = strings.Join(words, " ")
	return r
}

// manyWords are too many to be indexed.
func manyWords() []string {
	all := make([]string, 1001)
	for i := range all {
		all[i] = fmt.Sprint("word", i)
	}
	return all
}

// change does something to both.
func (p *pair) change(t *testing.T, now int64) {
	t.Helper()
	each := func(f func(s driver.Store) (any, error)) {
		t.Helper()
		got, err := f(p.store.Store)
		want, err2 := f(p.model.Store)
		if fmt.Sprint(got) != fmt.Sprint(want) || (err == nil) != (err2 == nil) {
			t.Fatalf("got %v, %v; want %v, %v", got, err, want, err2)
		}
	}
	switch p.dice.IntN(8) {
	case 0:
		key := p.key()
		each(func(s driver.Store) (any, error) { return s.Delete(t.Context(), key, 0) })
	case 1:
		// All of them: which of two that expired at once goes first is open.
		each(func(s driver.Store) (any, error) { return driver.DeleteExpired(t.Context(), s, driver.User, now, 100) })
	case 2:
		at, keys := now, []driver.Key{p.key(), p.key()}
		each(func(s driver.Store) (any, error) { return nil, driver.Touch(t.Context(), s, keys, at) })
	case 3: // the end of the server's TTL
		key := p.key()
		if err := p.store.raw.Del(t.Context(), "{tea}:1:row:0:"+idOf(key)).Err(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.model.Delete(t.Context(), key, 0); err != nil {
			t.Fatal(err)
		}
	case 4:
		r := []driver.Record{p.record(now), p.record(now)}
		each(func(s driver.Store) (any, error) { return driver.PutBatch(t.Context(), s, r) })
		p.model.terms[r[0].Key], p.model.terms[r[1].Key] = r[0].Terms, r[1].Terms
	default:
		r, c := p.record(now), driver.Condition{Absent: p.dice.IntN(3) == 0}
		each(func(s driver.Store) (any, error) {
			created, err := s.Put(t.Context(), r, c)
			if err == nil {
				p.model.terms[r.Key] = r.Terms
			}
			return created, err
		})
	}
}

func idOf(k driver.Key) string {
	return strings.ReplaceAll(k.Namespace, "\x00", "\x00\xff") + "\x00\x01" + k.Key
}

func (p *pair) query(now int64) driver.Query {
	q := driver.Query{Limit: pick(p, 1, 2, 5, 1000), KeysOnly: p.dice.IntN(4) == 0, Order: driver.ByKey}
	q.Namespaces = pick(p, nil, []string{p.key().Namespace}, []string{p.key().Namespace, p.key().Namespace})
	q.NamespacePrefix = pick(p, "", "", "", "n")
	q.Prefix, q.Glob = pick(p, "", "", "k"), pick(p, "", "", "*1", "k*")
	if p.dice.IntN(3) == 0 {
		q.Filters = []driver.Filter{{Path: []string{"a"}, Value: value.Int(1)}}
	}
	q.LiveAt, q.ExpiredBy = pick(p, 0, now), pick(p, 0, 0, 0, now)
	return q
}

// differs asks both for all pages of a search, and tells where they differ.
func (p *pair) differs(ctx context.Context, q driver.Query, terms []string) error {
	for {
		got, err := driver.Search(ctx, p.store.Store, q, terms)
		want, err2 := p.model.Search(ctx, q, terms)
		if err != nil || err2 != nil {
			return errors.Join(err, err2)
		}
		same := slices.EqualFunc(got, want, func(a, b driver.Hit) bool {
			return a.Key == b.Key && a.Score == b.Score && bytes.Equal(a.Value, b.Value) && bytes.Equal(a.Metadata, b.Metadata) &&
				a.Size == b.Size && a.Terms == "" && (a.Value == nil) == q.KeysOnly
		})
		if !same {
			return fmt.Errorf("%.40q in %+v: got %v, want %v", terms, q, shown(got), shown(want))
		}
		if len(got) < q.Limit {
			return nil
		}
		last := got[len(got)-1]
		q.After = &driver.Position{Score: last.Score, Namespace: last.Key.Namespace, Key: last.Key.Key}
	}
}

func shown(hits []driver.Hit) (all []string) {
	for _, h := range hits {
		all = append(all, fmt.Sprintf("%.3f %q/%q", h.Score, h.Key.Namespace, h.Key.Key))
	}
	return all
}
