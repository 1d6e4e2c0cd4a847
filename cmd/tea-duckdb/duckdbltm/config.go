package duckdbltm

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tea-agents/tea/ltm/driver/params"
)

// Params returns the names of the parameters that a URL may have.
func Params() []string { return []string{paramBusy, paramMemory, paramReadOnly, paramThreads} }

const (
	paramBusy     = "busy_timeout"
	paramMemory   = "memory_limit"
	paramReadOnly = "readonly"
	paramThreads  = "threads"

	inMemory       = params.InMemory
	defaultBusy    = 5 * time.Second
	defaultMemory  = 512 << 20
	mostMemory     = 1 << 50
	defaultThreads = 2
	mostThreads    = 256
)

// config is what a URL says.
type config struct {
	path     string // absolute, or inMemory
	busy     time.Duration
	memory   int64
	threads  int
	readOnly bool
	// alone says that nobody else opens the file: it stays open, and is made of
	// small blocks.
	alone bool
}

// parse reads a URL; all that is wrong with it is in the error.
func parse(u *url.URL) (config, error) {
	c := config{busy: defaultBusy, memory: defaultMemory, threads: defaultThreads}
	r := params.Read(u)
	var err error
	c.path, err = path(u)
	r.Check(err)
	r.Duration(paramBusy, &c.busy, params.Bounds{Most: time.Hour, Unit: time.Millisecond})
	r.Size(paramMemory, &c.memory, mostMemory)
	r.Int(paramThreads, &c.threads, 1, mostThreads)
	r.Bool(paramReadOnly, &c.readOnly)
	return c, r.Err()
}

// path returns the file that u names.
func path(u *url.URL) (string, error) {
	p, err := params.File(u, "a DuckDB file", "duckdb:agent.duckdb")
	if err == nil && strings.ContainsRune(p, '?') {
		err = fmt.Errorf("the path %s has a question mark, before which DuckDB would put the name of its log", p)
	}
	return p, err
}

// dsn returns the settings of the database. What could load code, or be changed
// later, is switched off.
func (c *config) dsn() string {
	q := url.Values{}
	q.Set("threads", strconv.Itoa(c.threads))
	q.Set("memory_limit", strconv.FormatInt(c.memory, 10)+"B")
	q.Set("autoinstall_known_extensions", "false")
	q.Set("autoload_known_extensions", "false")
	q.Set("allow_community_extensions", "false")
	q.Set("lock_configuration", "true")
	q.Set("temp_directory", "") // in memory: none; else it would be in the working directory
	if c.path != inMemory {
		q.Set("temp_directory", c.path+".tmp")
	}
	return "?" + q.Encode()
}
