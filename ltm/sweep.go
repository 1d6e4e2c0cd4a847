package ltm

import (
	"context"
	"iter"

	"github.com/tea-agents/tea/ltm/driver"
)

// batch is how many records are listed or deleted at a time.
const batch = 500

// all lists every record that d selects, batch by batch, values too.
func (m *Memory) all(ctx context.Context, d driver.Query) iter.Seq2[driver.Record, error] {
	s, err := m.use(ctx)
	if err != nil {
		return func(yield func(driver.Record, error) bool) { yield(driver.Record{}, err) }
	}
	return driver.All(ctx, s, d)
}

// DeleteWhere deletes every entry that q selects, until there is none left, or
// q.Limit of them when that is set, and returns how many it deleted. Like a
// search it leaves expired entries alone unless q includes them. An entry that
// is overwritten meanwhile is deleted only if it is selected again. The
// function report, which may be nil, is told each entry that was deleted, with
// no value and metadata. On an error the count is of what was deleted so far.
func (m *Memory) DeleteWhere(ctx context.Context, q Query, report func(Entry)) (deleted int64, err error) {
	if q.Cursor != "" {
		return 0, m.fail("delete", "", invalid("deleting takes no cursor"))
	}
	if report == nil {
		report = func(Entry) {}
	}
	left, limited := int64(q.Limit), q.Limit > 0
	q.KeysOnly, q.Limit = true, batch
	for {
		if limited {
			q.Limit = int(min(batch, left-deleted))
		}
		page, err := m.search(ctx, &q)
		if err != nil {
			return deleted, m.fail("delete", "", err)
		}
		n, err := m.deletePage(ctx, page.Entries, report)
		deleted += n
		switch {
		case err != nil:
			return deleted, m.fail("delete", "", err)
		case limited && deleted >= left:
			return deleted, nil
		case q.Text != "" && n > 0:
			q.Cursor = "" // scores have changed, so begin anew
		case page.Next == "":
			return deleted, nil
		default:
			q.Cursor = page.Next
		}
	}
}

// deletePage deletes the entries of a page as they were found.
func (m *Memory) deletePage(ctx context.Context, page []Entry, report func(Entry)) (n int64, err error) {
	refs := make([]driver.Ref, len(page))
	for i, e := range page {
		refs[i] = driver.Ref{
			Key:      driver.Key{Space: m.space, Namespace: e.Namespace, Key: e.Key},
			Revision: e.Revision,
		}
	}
	gone, err := m.deleteBatch(ctx, refs)
	for i := range gone {
		if gone[i] {
			n++
			report(page[i])
		}
	}
	return n, err
}

// deleteBatch deletes refs and tells for each, as far as it came, whether it
// was there.
func (m *Memory) deleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	s, err := m.use(ctx)
	if err != nil {
		return nil, err
	}
	return driver.DeleteBatch(ctx, s, refs)
}

// DeleteExpired deletes at most limit entries of the view's space, of every
// namespace, that have expired by now, those of the oldest expiry first, and
// returns how many it deleted.
func (m *Memory) DeleteExpired(ctx context.Context, limit int) (int, error) {
	if limit <= 0 {
		return 0, nil
	}
	n, err := m.deleteExpired(ctx, m.now().UnixMilli(), limit)
	return n, m.fail("delete expired", "", err)
}

func (m *Memory) deleteExpired(ctx context.Context, now int64, limit int) (int, error) {
	s, err := m.use(ctx)
	if err != nil {
		return 0, err
	}
	return driver.DeleteExpired(ctx, s, m.space, now, limit)
}

// NamespaceStats counts the entries of a namespace and the bytes of their
// values.
type NamespaceStats = driver.Stats

// Stats counts the entries of the view's space, expired ones included, for
// every namespace that has any, sorted by namespace.
func (m *Memory) Stats(ctx context.Context) ([]NamespaceStats, error) {
	s, err := m.stats(ctx)
	return s, m.fail("stats", "", err)
}

func (m *Memory) stats(ctx context.Context) ([]NamespaceStats, error) {
	s, err := m.use(ctx)
	if err != nil {
		return nil, err
	}
	return driver.CountStats(ctx, s, m.space)
}
