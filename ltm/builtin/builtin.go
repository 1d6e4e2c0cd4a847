// Package builtin is the one list of the memory stores that ship with tea.
package builtin

import (
	"context"
	"net/url"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
)

// Mux returns a fresh ltm.Mux that knows every built-in scheme.
func Mux() *ltm.Mux {
	m := &ltm.Mux{}
	m.Handle("mem", nil, func(ctx context.Context, u *url.URL, _ *ltm.Options) (driver.Store, error) {
		return memltm.Open(ctx, u)
	})
	return m
}
