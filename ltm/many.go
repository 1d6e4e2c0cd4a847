package ltm

import (
	"context"
	"fmt"
	"iter"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// GetMany returns the entries under keys, expired ones too as Get does. A key
// without an entry is not in the answer. One damaged entry fails it all.
func (m *Memory) GetMany(ctx context.Context, keys ...string) (map[string]Entry, error) {
	found, err := m.getMany(ctx, keys)
	return found, m.fail("get", "", err)
}

func (m *Memory) getMany(ctx context.Context, keys []string) (map[string]Entry, error) {
	ks := make([]driver.Key, len(keys))
	for i, key := range keys {
		var err error
		if ks[i], err = m.key(key); err != nil {
			return nil, err
		}
	}
	s, err := m.use(ctx)
	if err != nil {
		return nil, err
	}
	records, err := driver.GetBatch(ctx, s, ks)
	if err != nil {
		return nil, err
	}
	found := make(map[string]Entry, len(records))
	for k, r := range records {
		if r.Key != k {
			return nil, fmt.Errorf("%w: %q answers for %q", ErrCorrupt, short(r.Key.Key), short(k.Key))
		}
		if found[k.Key], err = open(&r); err != nil {
			return nil, fmt.Errorf("%q: %w", short(k.Key), err)
		}
	}
	return found, nil
}

// Item is one entry for PutMany.
type Item struct {
	Key     string
	Value   value.Value
	Options *PutOptions // without a condition; nil is all defaults
}

// PutMany stores items one after another, each atomically, and returns how many
// it created. What is wrong with any of them is found before the store is asked;
// after another error some may have been stored.
func (m *Memory) PutMany(ctx context.Context, items []Item) (created int, err error) {
	created, err = m.putMany(ctx, items)
	return created, m.fail("put", "", err)
}

func (m *Memory) putMany(ctx context.Context, items []Item) (created int, err error) {
	records := make([]driver.Record, len(items))
	for i, item := range items {
		o := item.Options
		if o == nil {
			o = &PutOptions{}
		}
		if o.IfAbsent || o.IfRevision != 0 {
			return 0, invalid("%q has a condition; only Put takes one", short(item.Key))
		}
		if records[i], err = m.record(item.Key, item.Value, o); err != nil {
			return 0, fmt.Errorf("%q: %w", short(item.Key), err)
		}
	}
	s, err := m.use(ctx)
	if err != nil {
		return 0, err
	}
	for len(records) > 0 {
		n := min(batch, len(records))
		fresh, err := driver.PutBatch(ctx, s, records[:n])
		if err != nil {
			return created, err
		}
		for _, ok := range fresh {
			if ok {
				created++
			}
		}
		records = records[n:]
	}
	return created, nil
}

// All returns every entry that q selects, page by page, with the guarantees of
// Search; q.Limit is how many a page has. After an error it ends.
func (m *Memory) All(ctx context.Context, q Query) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for {
			page, err := m.Search(ctx, q)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range page.Entries {
				if !yield(e, nil) {
					return
				}
			}
			if page.Next == "" {
				return
			}
			q.Cursor = page.Next
		}
	}
}
