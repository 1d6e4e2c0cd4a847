// Package builtin is the one list of the memory stores that ship with tea.
package builtin

import (
	"context"
	"net/url"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/ltm/postgresltm"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

// Mux returns a fresh ltm.Mux that knows every built-in scheme.
func Mux() *ltm.Mux {
	m := &ltm.Mux{}
	m.Handle("mem", nil, func(u *url.URL, _ *ltm.Options) (func(context.Context) (driver.Store, error), error) {
		return func(ctx context.Context) (driver.Store, error) { return memltm.Open(ctx, u) }, nil
	})
	m.Handle("sqlite", sqliteltm.Params(), func(u *url.URL, o *ltm.Options) (func(context.Context) (driver.Store, error), error) {
		return sqliteltm.Opener(u, &sqliteltm.Options{Disposable: o.Disposable, Warn: o.Warn, Now: o.Now})
	})
	for _, name := range []string{"postgres", "postgresql"} {
		m.Handle(name, postgresltm.Params(), func(u *url.URL, _ *ltm.Options) (func(context.Context) (driver.Store, error), error) {
			return postgresltm.Opener(u)
		})
	}
	return m
}
