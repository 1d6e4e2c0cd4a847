package bucketltm

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm/driver/params"
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
	maxSize          = 4 << 30 // what one request of every cloud takes
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
	options   Options
}

// parse reads a URL; all that is wrong with it is in the error.
func parse(e *Engine, u *url.URL) (config, error) {
	c := config{engine: e, staleness: defaultStaleness, timeout: defaultTimeout, size: defaultSize}
	r := params.Read(u)
	known := e.Params(u.Scheme)
	q := u.Query()
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if !slices.Contains(known, name) {
			r.Check(fmt.Errorf("unknown parameter %q%s", name, hint(name, known)))
		}
	}
	r.Duration(paramStaleness, &c.staleness, params.Bounds{Most: time.Hour})
	r.Duration(paramTimeout, &c.timeout, params.Bounds{Least: time.Millisecond, Most: time.Hour})
	r.Size(paramSize, &c.size, maxSize)
	r.Bool(paramReadOnly, &c.readOnly)
	r.Read(paramCache, func(text string) error {
		if c.cache = text; text == "" || strings.ContainsRune(text, 0) {
			return errors.New("a folder")
		}
		return nil
	})
	for _, name := range ownParams() {
		q.Del(name)
	}
	o := *u
	o.Scheme, o.RawQuery, o.Fragment = strings.TrimPrefix(u.Scheme, e.Prefix), q.Encode(), ""
	c.object = &o
	r.Check(object.Check(&o))
	return c, r.Err()
}

func hint(name string, known []string) string {
	if s := diag.Suggest(name, known); s != "" {
		return fmt.Sprintf(", did you mean %q?", s)
	}
	return ""
}
