// Package builtin is the one list of the memory stores that ship with tea.
package builtin

import (
	"context"
	"net/url"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/blobsqliteltm"
	"github.com/tea-agents/tea/ltm/bucketltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/firestoreltm"
	"github.com/tea-agents/tea/ltm/libsqlltm"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/ltm/postgresltm"
	"github.com/tea-agents/tea/ltm/redisltm"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

// Mux returns a fresh ltm.Mux that knows every built-in scheme.
func Mux() *ltm.Mux {
	m := &ltm.Mux{}
	m.Handle("mem", nil, byURL(func(u *url.URL) (opener, error) {
		return func(ctx context.Context) (driver.Store, error) { return memltm.Open(ctx, u) }, nil
	}))
	m.Handle("sqlite", sqliteltm.Params(), func(u *url.URL, o *ltm.Options) (opener, error) {
		return sqliteltm.Opener(u, &sqliteltm.Options{Disposable: o.Disposable, Warn: o.Warn, Now: o.Now, Existing: o.Existing})
	})
	for _, scheme := range blobsqliteltm.Schemes() {
		m.Handle(scheme, blobsqliteltm.Params(scheme), func(u *url.URL, o *ltm.Options) (opener, error) {
			return blobsqliteltm.Opener(u, &bucketltm.Options{Disposable: o.Disposable, Warn: o.Warn})
		})
	}
	m.Handle("firestore", firestoreltm.Params(), byURL(firestoreltm.Opener))
	for _, scheme := range libsqlltm.Schemes() {
		m.Handle(scheme, libsqlltm.Params(scheme), byURL(libsqlltm.Opener))
	}
	for _, scheme := range []string{"postgres", "postgresql"} {
		m.Handle(scheme, postgresltm.Params(), byURL(postgresltm.Opener))
	}
	for _, scheme := range []string{"redis", "rediss"} {
		m.Handle(scheme, redisltm.Params(), byURL(redisltm.Opener))
	}
	duckdb := bucketltm.Engine{Prefix: "duckdb+"}
	for _, scheme := range append(duckdb.Schemes(), "duckdb") {
		m.Elsewhere(scheme, duckDB)
	}
	return m
}

// duckDB says how to open memory in DuckDB.
const duckDB = "duckdb needs the command tea-duckdb, which has DuckDB linked in: " +
	"in a checkout, (cd cmd/tea-duckdb && go install .)"

// opener opens a store that a URL names.
type opener = func(context.Context) (driver.Store, error)

// byURL is for stores that need nothing but their URL.
func byURL(open func(*url.URL) (opener, error)) func(*url.URL, *ltm.Options) (opener, error) {
	return func(u *url.URL, _ *ltm.Options) (opener, error) { return open(u) }
}
