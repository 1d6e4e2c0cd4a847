// Package builtin is the one list of the memory stores that ship with tea.
package builtin

import (
	"context"
	"net/url"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

// Mux returns a fresh ltm.Mux that knows every built-in scheme.
func Mux() *ltm.Mux {
	m := &ltm.Mux{}
	m.Handle("mem", nil, opener(memltm.Open))
	m.Handle("sqlite", sqliteltm.Params(), opener(sqliteltm.Open))
	return m
}

func opener(open func(context.Context, *url.URL) (driver.Store, error)) ltm.Opener {
	return func(ctx context.Context, u *url.URL, _ *ltm.Options) (driver.Store, error) { return open(ctx, u) }
}
