package sqliteltm

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tea-agents/tea/ltm/driver/params"
)

// Params returns the names of the parameters that a URL may have.
func Params() []string { return []string{paramBusy, paramReadOnly, paramSync} }

const (
	paramBusy     = "busy_timeout"
	paramSync     = "synchronous"
	paramReadOnly = "readonly"

	inMemory = params.InMemory
	// logPages is how many pages the write-ahead log has before they are copied to
	// the file and waited for: as many as SQLite finds by one hash table. The log
	// takes 16 MiB then, and a put waits for the disk a quarter as often as with
	// SQLite's default.
	logPages    = "wal_autocheckpoint(4000)"
	defaultBusy = 5 * time.Second
)

// config is what a URL says.
type config struct {
	path     string // absolute, or inMemory
	busy     time.Duration
	sync     string
	readOnly bool
	existing bool // the file is not made
	// immutable says that the file cannot change while it is open.
	immutable bool
}

// parse reads a URL; all that is wrong with it is in the error.
func parse(u *url.URL) (config, error) {
	c := config{busy: defaultBusy, sync: "normal"}
	r := params.Read(u)
	var err error
	c.path, err = params.File(u, "an SQLite file", "sqlite:agent.db")
	r.Check(err)
	r.Duration(paramBusy, &c.busy, params.Bounds{Most: time.Hour, Unit: time.Millisecond})
	r.OneOf(paramSync, &c.sync, "off", "normal", "full", "extra")
	r.Bool(paramReadOnly, &c.readOnly)
	return c, r.Err()
}

// dsn returns what opens a connection. Nothing in it is SQL from outside.
func (c *config) dsn() string {
	q := url.Values{}
	q.Set("_busy_timeout", strconv.FormatInt(c.busy.Milliseconds(), 10))
	q.Set("_synchronous", c.sync)
	q.Set("_txlock", "immediate")
	q.Set("_pragma", logPages)
	if c.path == inMemory {
		return "file::memory:?" + q.Encode()
	}
	q.Set("mode", "rw")
	if c.readOnly {
		q.Set("mode", "ro")
	}
	if c.immutable {
		q.Set("immutable", "1")
	}
	p := filepath.ToSlash(c.path)
	if !strings.HasPrefix(p, "/") { // a drive letter
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p, OmitHost: true, RawQuery: q.Encode()}).String()
}
