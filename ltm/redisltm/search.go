package redisltm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/ranking"
)

const (
	// manyWords is the word under which records stand that have too many.
	manyWords = ""
	// maxCounted is of how many of its words a search asks which is the rarest.
	maxCounted = 100
)

// Search implements driver.FullText. Records score as package ranking says. It is
// errors.ErrUnsupported while the store may have records of which it knows no
// words.
func (s *Store) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	q.Namespaces, q.Filters, terms = slices.Clone(q.Namespaces), slices.Clone(q.Filters), slices.Clone(terms)
	q.Order, q.Desc = driver.ByKey, false
	return result(ctx, s.again, func(ctx context.Context) ([]driver.Hit, error) {
		if err := s.worded(ctx); err != nil {
			return nil, err
		}
		x := &search{listing{store: s, q: &q, whole: !q.KeysOnly}, terms, ranking.New(&q)}
		names, err := s.namespaces(ctx, &q)
		if err != nil {
			return nil, err
		}
		for part := range slices.Chunk(names, piped) {
			if err := x.look(ctx, part); err != nil {
				return nil, err
			}
		}
		x.clean(ctx)
		return x.best.Hits(), nil
	})
}

// namespaces returns those in which a query may find something.
func (s *Store) namespaces(ctx context.Context, q *driver.Query) ([]string, error) {
	if q.Namespaces != nil {
		return namespaces(q), nil
	}
	var names []string
	for sp := spans(q, laneKey)[0]; ; {
		part, err := s.run(ctx, s.scripts.namespaces, q.Space, nil, []any{sp.begin, sp.end, step}).StringSlice()
		if err != nil {
			return nil, err
		}
		for _, name := range part {
			names = append(names, unescape(name))
		}
		if len(part) < step {
			return names, nil
		}
		sp.begin = laneKey + part[len(part)-1] + "\x00\x02"
	}
}

// search is a Search under way.
type search struct {
	listing
	terms []string
	best  *ranking.Best
}

// look looks for hits in some namespaces: where the rarest of the words is, and
// among what has too many words.
func (x *search) look(ctx context.Context, names []string) error {
	s, space := x.store, x.q.Space
	pipe := s.client.Pipeline()
	words := append([]string{manyWords}, x.terms[:min(len(x.terms), maxCounted)]...)
	counts := make([][]*redis.IntCmd, len(names))
	for i, name := range names {
		for _, word := range words {
			counts[i] = append(counts[i], pipe.HLen(ctx, s.word(space, name, word)))
		}
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return err
	}
	for i, name := range names {
		rarest := 1
		for w := range words {
			if w > 0 && counts[i][w].Val() < counts[i][rarest].Val() {
				rarest = w
			}
		}
		for _, w := range []int{0, rarest} {
			if counts[i][w].Val() == 0 {
				continue
			}
			if err := x.sift(ctx, name, words[w]); err != nil {
				return err
			}
		}
	}
	return nil
}

// sift reads the records that stand under a word. The server may tell one twice.
func (x *search) sift(ctx context.Context, namespace, word string) error {
	for cursor := uint64(0); ; {
		fields, next, err := x.store.client.HScan(ctx, x.store.word(x.q.Space, namespace, word), cursor, "", partRows).Result()
		if err != nil {
			return err
		}
		var ids []string
		for i := 0; i < len(fields); i += 2 { // the others are values
			if strings.HasPrefix(fields[i], keyPrefix(x.q)) {
				ids = append(ids, idOf(namespace, fields[i]))
			}
		}
		for part := range slices.Chunk(ids, partRows) {
			if err := x.rank(ctx, part); err != nil {
				return err
			}
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}

// rank reads rows and adds those that are hits.
func (x *search) rank(ctx context.Context, ids []string) error {
	s, space := x.store, x.q.Space
	for len(ids) > 0 {
		args := []any{s.rows(space), strings.Join(x.fields(), " "), partBytes}
		for _, id := range ids {
			args = append(args, id)
		}
		rows, err := s.run(ctx, s.scripts.rows, space, nil, args).Slice()
		if err != nil {
			return err
		}
		if len(rows) == 0 || len(rows) > len(ids) {
			return fmt.Errorf("%w: of %d rows it answers %d", driver.ErrCorrupt, len(ids), len(rows))
		}
		for i, row := range rows {
			if err := x.add(ids[i], row); err != nil {
				return err
			}
		}
		ids = ids[len(rows):]
	}
	return nil
}

// add adds a row if it is a hit. What stands under the wrong word is none.
func (x *search) add(id string, row any) error {
	fields, ok := row.([]any)
	if !ok || len(fields) < 2 {
		return fmt.Errorf("%w: a row has %v", driver.ErrCorrupt, row)
	}
	r, ok, err := x.read(laneKey+id, fields[:len(fields)-1])
	if err != nil {
		return err
	}
	if !ok {
		x.stale = append(x.stale, laneKey+id)
		return nil
	}
	terms, _ := fields[len(fields)-1].(string)
	score, ok := ranking.Score(terms, x.terms)
	if !ok {
		return nil
	}
	if ok, err = x.q.Match(&r); err != nil || !ok {
		return err
	}
	if x.q.KeysOnly {
		r.Metadata = nil
	}
	x.best.Add(driver.Hit{Record: r, Score: score})
	return nil
}
