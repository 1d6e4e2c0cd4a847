package cassette

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// row is a call as the index knows it.
type row struct {
	stat
	file, sum, id         string
	provider, node, model string
	endpoint, timestamp   string
	suite, test           string
	complete              bool
}

// rows returns all calls, in the order in which they were recorded. It goes by
// the index as far as that agrees with the files, and brings it up to date. A
// directory that cannot be written to is read all the same.
func (d *directory) rows() ([]row, error) {
	listed, err := d.list()
	if err != nil {
		return nil, err
	}
	indexed, unread := d.readIndex()
	if unread != nil { // missing, corrupt, busy, or of another version
		indexed = nil
	}
	current, changed, err := d.compare(listed, indexed)
	if err != nil {
		return nil, err
	}
	stale := len(indexed) + len(changed) - len(current)
	if (len(changed) > 0 || stale > 0 || indexed == nil) && !busy(unread) {
		d.updateIndex(current, changed, indexed)
	}
	slices.SortFunc(current, func(a, b row) int {
		return cmp.Or(strings.Compare(a.timestamp, b.timestamp), strings.Compare(a.sum, b.sum), ordinal(a.file)-ordinal(b.file))
	})
	return current, nil
}

// busy tells whether an index is merely in use.
func busy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == codeBusy
}

// codeBusy is SQLITE_BUSY.
const codeBusy = 5

// compare reads the files that the index does not know as they are now.
func (d *directory) compare(listed map[string]stat, indexed []row) (current, changed []row, err error) {
	known := make(map[string]bool, len(indexed))
	for _, r := range indexed {
		if s, there := listed[r.file]; there && s == r.stat {
			known[r.file] = true
			current = append(current, r)
		}
	}
	for _, name := range sortedKeys(listed) {
		if known[name] {
			continue
		}
		c, h, err := d.read(name)
		if errors.Is(err, ErrMissing) { // gone meanwhile
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		r := row{
			stat: listed[name], file: name, sum: c.Hash, id: c.ID, provider: c.Provider, node: c.Node, model: c.Model,
			endpoint: c.Endpoint, timestamp: c.Timestamp.UTC().Format(timestampLayout), suite: h.Suite, test: h.Test, complete: c.Complete,
		}
		current, changed = append(current, r), append(changed, r)
	}
	return current, changed, nil
}
