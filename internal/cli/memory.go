package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
)

const defaultMemoryText = "$XDG_DATA_HOME/tea/memory.db"

// defaultMemory is the file of a user who chose none, by the XDG base directory
// specification: relative paths in XDG_DATA_HOME do not count. It is "" where
// there is no home either.
func defaultMemory() string {
	data := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		data = filepath.Join(home, ".local", "share")
	}
	return (&url.URL{Scheme: "sqlite", Path: filepath.Join(data, "tea", "memory.db")}).String()
}

// withMemory opens the memory at a URL, which may be "" for none, and runs f on it.
func (a *app) withMemory(ctx context.Context, where string, f func(*ltm.Memory) error) error {
	if where == "" {
		return fmt.Errorf("%w: no place for the memory: neither HOME nor XDG_DATA_HOME is set; say --ltm URL", engine.ErrConfig)
	}
	return a.withURL(ctx, where, nil, f)
}

// withCache opens the memory and runs f on the cache in it.
func (a *app) withCache(ctx context.Context, f func(*cache.Cache) error) error {
	registry, err := a.registry()
	if err != nil {
		return err
	}
	known := func(name string) bool { _, ok := registry.Lookup(name); return ok }
	return a.withMemory(ctx, a.cacheURL(), func(memory *ltm.Memory) error {
		c := cache.New(memory, &cache.Options{Known: known})
		return errors.Join(f(c), c.Close())
	})
}

// entryNotFound is the failure of a look-up by a person.
func entryNotFound(key string) error {
	return fmt.Errorf("no entry under %q; tea cache ls lists what there is", key)
}
