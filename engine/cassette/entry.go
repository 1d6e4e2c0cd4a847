package cassette

import (
	"sync"
)

// entry is a call in a cassette that may not be decoded yet. What finds it is
// known.
type entry struct {
	sum, id  string
	complete bool
	decode   func() (*Call, error) // once
}

// newEntry returns the entry of a call that is at hand.
func newEntry(c *Call) *entry {
	return &entry{sum: c.Hash, id: c.ID, complete: c.Complete, decode: func() (*Call, error) { return c, nil }}
}

// lazyEntry returns an entry that decode makes a call of when it is wanted.
func lazyEntry(sum, id string, complete bool, decode func() (*Call, error)) *entry {
	return &entry{sum, id, complete, sync.OnceValues(decode)}
}

// calls decodes all entries.
func calls(entries []*entry) ([]*Call, error) {
	all := make([]*Call, len(entries))
	for i, e := range entries {
		var err error
		if all[i], err = e.decode(); err != nil {
			return nil, err
		}
	}
	return all, nil
}
