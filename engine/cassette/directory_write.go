package cassette

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tea-agents/tea/engine/cassette/internal/files"
)

func (d *directory) replace(h Header, recorded []*Call, failed bool) error {
	if failed {
		beside := &directory{path: d.path + suffixFailed}
		if err := beside.begin(); err != nil {
			return err
		}
		h.Test, h.Suite = "", "" // all that is there goes
		return beside.fresh(h, recorded, func(row) bool { return true })
	}
	return d.fresh(h, recorded, func(r row) bool { return h.Test != "" && r.test == h.Test && r.suite == h.Suite })
}

// fresh writes calls in the place of what was recorded for the same requests
// before this recording began, and drops others from before as drop says. What
// another process wrote since then stays.
func (d *directory) fresh(h Header, recorded []*Call, drop func(row) bool) error {
	unlock, err := d.lock(h)
	if err != nil {
		return err
	}
	defer unlock()
	rows, err := d.rows()
	if err != nil {
		return err
	}
	p := newPlan(d, rows)
	for _, c := range recorded {
		if err := p.put(c, h); err != nil {
			return err
		}
	}
	for _, r := range p.old {
		if p.recorded[r.sum] || drop(r) {
			if err := d.remove(r.file); err != nil {
				return err
			}
		}
	}
	_, err = d.rows() // brings the index up to date
	return err
}

// lock waits for other processes and writes the header.
func (d *directory) lock(h Header) (unlock func(), err error) {
	if unlock, err = files.Lock(d.responses()); err != nil {
		return nil, err
	}
	files.Sweep(d.responses())
	if err := d.writeHeader(h); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// plan says under which names calls are written.
type plan struct {
	d        *directory
	old      map[string]row // from before and not replaced yet, by name
	taken    map[string]bool
	owner    map[string]Header // who recorded an old answer, by hash
	recorded map[string]bool
}

func newPlan(d *directory, rows []row) *plan {
	p := &plan{d, map[string]row{}, map[string]bool{}, map[string]Header{}, map[string]bool{}}
	for _, r := range rows {
		if d.before[r.file] == r.stat {
			p.old[r.file] = r
			p.owner[r.sum] = Header{Suite: r.suite, Test: r.test}
		} else {
			p.taken[r.file] = true
		}
	}
	return p
}

// put writes a call under the first name that is free or holds an old answer to
// the same request. A request of two tests belongs to neither.
func (p *plan) put(c *Call, h Header) error {
	if o, ok := p.owner[c.Hash]; ok && (o.Suite != h.Suite || o.Test != h.Test) {
		h.Suite, h.Test = "", ""
	}
	p.recorded[c.Hash] = true
	for n := 1; ; n++ {
		name := callName(c.Hash, n)
		if r, isOld := p.old[name]; p.taken[name] || isOld && r.sum != c.Hash {
			continue
		}
		p.taken[name] = true
		delete(p.old, name)
		return files.Write(filepath.Join(p.d.responses(), name), callFile(c, h))
	}
}

func (d *directory) amend(h Header, added []*Call, drop func(string) bool, _ func(*Call) error) error {
	unlock, err := d.lock(h)
	if err != nil {
		return err
	}
	defer unlock()
	rows, err := d.rows()
	if err != nil {
		return err
	}
	whole := make(map[string]bool, len(added))
	for _, c := range added {
		whole[c.Hash] = whole[c.Hash] || c.Complete
		if err := d.appendCall(c, h); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if drop(r.sum) || !r.complete && whole[r.sum] {
			if err := d.remove(r.file); err != nil {
				return err
			}
		}
	}
	_, err = d.rows()
	return err
}

// appendCall writes a call under the first name that is free.
func (d *directory) appendCall(c *Call, h Header) error {
	data := callFile(c, h)
	for n := 1; ; n++ {
		err := files.Create(filepath.Join(d.responses(), callName(c.Hash, n)), data)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

func (d *directory) remove(name string) error {
	err := os.Remove(filepath.Join(d.responses(), name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
