package sqliteltm

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm/driver"
)

// Params returns the names of the parameters that a URL may have.
func Params() []string { return []string{paramBusy, paramReadOnly, paramSync} }

const (
	paramBusy     = "busy_timeout"
	paramSync     = "synchronous"
	paramReadOnly = "readonly"

	inMemory    = ":memory:"
	defaultBusy = 5 * time.Second
)

// config is what a URL says.
type config struct {
	path     string // absolute, or inMemory
	busy     time.Duration
	sync     string
	readOnly bool
	// immutable says that the file cannot change while it is open.
	immutable bool
}

// parse reads a URL; all that is wrong with it is in the error.
func parse(u *url.URL) (config, error) {
	c := config{busy: defaultBusy, sync: "normal"}
	var errs []error
	var err error
	if c.path, err = path(u); err != nil {
		errs = append(errs, err)
	}
	q := u.Query()
	if q.Has(paramBusy) {
		if c.busy, err = duration(q.Get(paramBusy)); err != nil {
			errs = append(errs, err)
		}
	}
	if q.Has(paramSync) {
		c.sync = strings.ToLower(q.Get(paramSync))
		if levels := []string{"off", "normal", "full", "extra"}; !slices.Contains(levels, c.sync) {
			errs = append(errs, fmt.Errorf("%s is %q, not one of %s%s",
				paramSync, c.sync, strings.Join(levels, ", "), hint(c.sync, levels)))
		}
	}
	if q.Has(paramReadOnly) {
		if c.readOnly, err = strconv.ParseBool(q.Get(paramReadOnly)); err != nil {
			errs = append(errs, fmt.Errorf("%s is %q, not true or false", paramReadOnly, q.Get(paramReadOnly)))
		}
	}
	if errs != nil {
		return c, fmt.Errorf("%w: %w", driver.ErrConfig, errors.Join(errs...))
	}
	return c, nil
}

func hint(name string, known []string) string {
	if s := diag.Suggest(name, known); s != "" {
		return fmt.Sprintf(", did you mean %q?", s)
	}
	return ""
}

// path returns the file that u names.
func path(u *url.URL) (string, error) {
	p := u.Host + u.Path
	if u.Opaque != "" {
		var err error
		if p, err = url.PathUnescape(u.Opaque); err != nil {
			return "", fmt.Errorf("the path: %w", err)
		}
	}
	switch {
	case u.User != nil:
		return "", errors.New("an SQLite file takes no user and password")
	case p == "":
		return "", errors.New("the path is missing, as in sqlite:agent.db")
	case strings.ContainsRune(p, 0):
		return "", errors.New("the path holds a NUL character")
	case p == inMemory:
		return p, nil
	case strings.HasSuffix(p, "/"):
		return "", fmt.Errorf("the path %s is that of a folder", p)
	}
	return filepath.Abs(p)
}

// duration reads a duration or a number of milliseconds.
func duration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if ms, errInt := strconv.ParseInt(s, 10, 32); errInt == nil {
		d, err = time.Duration(ms)*time.Millisecond, nil
	}
	if err != nil || d < 0 || d > time.Hour {
		return 0, fmt.Errorf("%s is %q, not a duration from 0 to 1h such as 2s", paramBusy, s)
	}
	return d, nil
}

// dsn returns what opens a connection. Nothing in it is SQL from outside.
func (c *config) dsn() string {
	q := url.Values{}
	q.Set("_busy_timeout", strconv.FormatInt(c.busy.Milliseconds(), 10))
	q.Set("_synchronous", c.sync)
	q.Set("_txlock", "immediate")
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
