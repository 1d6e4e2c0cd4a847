package customstore

import (
	"context"
	"net/url"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
)

// Register makes the scheme "gob" known: gob:memory.gob is a file.
func Register(m *ltm.Mux) {
	m.Handle("gob", nil, func(u *url.URL, _ *ltm.Options) (func(context.Context) (driver.Store, error), error) {
		return func(context.Context) (driver.Store, error) { return Open(u.Path + u.Opaque) }, nil
	})
}
