package ltm

import (
	"context"
	"fmt"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

// Restore stores entries that were read before, here or in another store, with
// their times: Value, Metadata, CreatedAt, UpdatedAt and ExpiresAt, each entry
// under its Namespace and Key in the view's space, over whatever is there. An
// entry that is overwritten before it has expired keeps its own CreatedAt. What
// is wrong with any of them is found before the store is asked; after another
// error some may have been stored.
func (m *Memory) Restore(ctx context.Context, entries []Entry) error {
	return m.fail("restore", "", m.restore(ctx, entries))
}

func (m *Memory) restore(ctx context.Context, entries []Entry) error {
	records := make([]driver.Record, 0, len(entries))
	for i := range entries {
		var err error
		if records, err = m.appendRestored(records, &entries[i]); err != nil {
			return fmt.Errorf("%q: %w", short(entries[i].Key), err)
		}
	}
	s, err := m.use(ctx)
	if err != nil {
		return err
	}
	for len(records) > 0 {
		n := min(batch, len(records))
		if _, err := driver.PutBatch(ctx, s, records[:n]); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// appendRestored appends the records whose puts, one after another, leave e.
// Stores date the creation of an entry by its first put: so an entry that was
// updated later is put as of both times.
func (m *Memory) appendRestored(records []driver.Record, e *Entry) ([]driver.Record, error) {
	last, err := m.restored(e, e.UpdatedAt)
	if err != nil {
		return nil, err
	}
	created := e.CreatedAt.UnixMilli()
	if created != last.UpdatedAt && !last.Expired(last.UpdatedAt) {
		first, err := m.restored(e, e.CreatedAt)
		if err != nil {
			return nil, err
		}
		records = append(records, first)
	}
	return append(records, last), nil
}

// restored is the record of an entry that was put at a time.
func (m *Memory) restored(e *Entry, at time.Time) (driver.Record, error) {
	o := &PutOptions{Metadata: e.Metadata, ExpiresAt: e.ExpiresAt}
	r, err := m.In(m.space, e.Namespace).record(e.Key, e.Value, o)
	if err != nil {
		return r, err
	}
	r.UpdatedAt = at.UnixMilli()
	sum := digest(&r, sealVersion, r.Value[sealBytes:])
	copy(r.Value[1:sealBytes], sum[:])
	return r, nil
}
