package blobsqliteltm

import (
	"context"
	"net/url"

	"github.com/tea-agents/tea/ltm/bucketltm"
	"github.com/tea-agents/tea/ltm/driver"
)

// Engine returns what keeps a store in an SQLite file.
func Engine() *bucketltm.Engine {
	return &bucketltm.Engine{
		Prefix: "blob-sqlite+", Type: "application/vnd.sqlite3", OpenFile: openFile, CheckFile: checkFile,
	}
}

// Schemes returns the schemes that a URL may have, sorted.
func Schemes() []string { return Engine().Schemes() }

// Params returns the names of the parameters that a URL of a scheme may have.
func Params(scheme string) []string { return Engine().Params(scheme) }

// Opener returns what opens the store that u names. The error says all that is
// wrong with u itself.
func Opener(u *url.URL, o *bucketltm.Options) (func(context.Context) (driver.Store, error), error) {
	return Engine().Opener(u, o)
}

// Open opens the store that u names: see Opener.
func Open(ctx context.Context, u *url.URL) (driver.Store, error) { return Engine().Open(ctx, u) }
