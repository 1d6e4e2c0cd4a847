package bucketltm

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm/driver"
)

const (
	paramStaleness = "max_staleness"
	paramSize      = "max_size"
	paramTimeout   = "timeout"
	paramReadOnly  = "readonly"
	paramCache     = "cache"

	defaultStaleness = 5 * time.Second
	defaultTimeout   = 30 * time.Second
	defaultSize      = 1 << 30
)

func ownParams() []string {
	return []string{paramStaleness, paramSize, paramTimeout, paramReadOnly, paramCache}
}

// config is what a URL says.
type config struct {
	engine    *Engine
	object    *url.URL
	staleness time.Duration
	timeout   time.Duration
	size      int64
	readOnly  bool
	cache     string // "" is the user's cache folder
}

// parse reads a URL; all that is wrong with it is in the error.
func parse(e *Engine, u *url.URL) (config, error) {
	c := config{engine: e, staleness: defaultStaleness, timeout: defaultTimeout, size: defaultSize}
	q, err := url.ParseQuery(u.RawQuery)
	errs := []error{err}
	known := e.Params(u.Scheme)
	for _, name := range slices.Sorted(keys(q)) {
		if !slices.Contains(known, name) {
			errs = append(errs, fmt.Errorf("unknown parameter %q%s", name, hint(name, known)))
		}
	}
	take := func(name string, read func(string) error) {
		if q.Has(name) {
			if err := read(q.Get(name)); err != nil {
				errs = append(errs, fmt.Errorf("%s is %q, not %w", name, q.Get(name), err))
			}
			q.Del(name)
		}
	}
	take(paramStaleness, func(s string) error { c.staleness, err = duration(s, 0); return err })
	take(paramTimeout, func(s string) error { c.timeout, err = duration(s, time.Millisecond); return err })
	take(paramSize, func(s string) error { c.size, err = size(s); return err })
	take(paramReadOnly, func(s string) error {
		if c.readOnly, err = strconv.ParseBool(s); err != nil {
			return errors.New("true or false")
		}
		return nil
	})
	take(paramCache, func(s string) error {
		if c.cache = s; s == "" || strings.ContainsRune(s, 0) {
			return errors.New("a folder")
		}
		return nil
	})
	o := *u
	o.Scheme, o.RawQuery, o.Fragment = strings.TrimPrefix(u.Scheme, e.Prefix), q.Encode(), ""
	c.object = &o
	errs = append(errs, object.Check(&o))
	if err := errors.Join(errs...); err != nil {
		return c, fmt.Errorf("%w: %w", driver.ErrConfig, err)
	}
	return c, nil
}

func keys(q url.Values) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name := range q {
			if !yield(name) {
				return
			}
		}
	}
}

func hint(name string, known []string) string {
	if s := diag.Suggest(name, known); s != "" {
		return fmt.Sprintf(", did you mean %q?", s)
	}
	return ""
}

// duration reads a duration or 0.
func duration(s string, least time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < least || d > time.Hour {
		return 0, fmt.Errorf("a duration from %v to 1h such as 2s", least)
	}
	return d, nil
}

// size reads a number of bytes, perhaps with a unit.
func size(s string) (int64, error) {
	number, shift := s, 0
	for unit, by := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} {
		if rest, ok := strings.CutSuffix(s, unit); ok {
			number, shift = rest, by
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n <= 0 || n > (4<<30)>>shift { // what one request of every cloud takes
		return 0, errors.New("a number of bytes up to 4GiB such as 64MiB")
	}
	return n << shift, nil
}
