package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
)

func (a *app) ltmCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "ltm",
		Short: "Look at long-term memory, change it, and move it elsewhere",
		Long: `Look at long-term memory, change it, and move it elsewhere. This is what agents
keep with ltm.store; tea cache is for cached results. Agents keep it in the
default namespace, which is meant where --namespace is not given.

The memory is that of --ltm, else of TEA_LTM, else a file of the user's. URLs:

  sqlite:///path/file.db            a file; a plain path is one too
  mem://                            in memory, gone in the end
  blob-sqlite+s3://bucket/file.db   a SQLite file in a bucket; also +gs, +az, +file
  postgres://user@host/database     PostgreSQL
  redis://host:6379/0               Redis; rediss:// with TLS
  libsql://host                     a libSQL server; turso://, http+libsql://
  firestore://project/collection    Firestore
  duckdb:///path/file.duckdb        DuckDB, with the command tea-duckdb

with parameters such as ?readonly=true, ?namespace=NAME or ?encrypt=env:NAME.
docs/memory.md tells which one to choose.`,
		Example: `  tea ltm put user:1 '{"name": "Ada"}' --metadata kind=person --ttl 30d
  tea ltm search ada --where kind=person
  tea ltm copy memory.db sqlite:///backup/memory.db`,
	}, a.ltmGet(), a.ltmPut(), a.ltmLs(), a.ltmSearch(), a.ltmRm(), a.ltmExport(), a.ltmImport(), a.ltmCopy(), a.ltmDoctor())
}

// ltmFlags are the flags that the subcommands of tea ltm share.
type ltmFlags struct {
	namespace string
	json      bool
}

func (f *ltmFlags) addTo(c *cobra.Command) *cobra.Command {
	c.Flags().StringVarP(&f.namespace, "namespace", "n", "", "the `NAMESPACE` that is meant (the default one, which agents use)")
	return addJSON(c, &f.json)
}

// withUser runs f on what users keep, in a namespace of the memory.
func (a *app) withUser(ctx context.Context, namespace string, f func(*ltm.Memory) error) error {
	return a.withSpace(ctx, driver.User, func(m *ltm.Memory) error { return f(m.In(driver.User, namespace)) })
}

// withSpace opens the memory, or the store of the caches, and runs f on a space
// of it.
func (a *app) withSpace(ctx context.Context, space driver.Space, f func(*ltm.Memory) error) error {
	where := a.memoryURL()
	if space == driver.Cache {
		where = a.cacheURL()
	}
	return storeError(a.withMemory(ctx, where, func(m *ltm.Memory) error { return f(m.In(space, "")) }))
}

// withURL opens the memory at a URL and runs f on it.
func (a *app) withURL(ctx context.Context, url string, o *ltm.Options, f func(*ltm.Memory) error) error {
	m, err := a.mux().Open(ctx, url, o)
	if err != nil {
		return storeError(err)
	}
	return errors.Join(f(m), m.Close())
}

// storeFailure is a store that fails, which has a status of its own.
type storeFailure struct{ error }

func (e storeFailure) Unwrap() error { return e.error }

// Is makes it end the command as a bad configuration does.
func (storeFailure) Is(target error) bool { return target == engine.ErrConfig }

// storeError tells apart what is wrong with a call, with a store, and the rest.
func storeError(err error) error {
	var of *ltm.Error
	switch {
	case errors.Is(err, ltm.ErrNewer):
		return storeFailure{err}
	case err == nil || !errors.As(err, &of) || errors.Is(err, context.Canceled):
		return err
	case errors.Is(of.Err, ltm.ErrInvalid):
		return usageError{err}
	case errors.Is(of.Err, ltm.ErrNotFound), errors.Is(of.Err, ltm.ErrConflict):
		return err
	}
	return storeFailure{err}
}

// readData reads @file, or standard input for "-".
func readData(arg string, stdin io.Reader, read func(string) ([]byte, error)) (data []byte, ok bool, err error) {
	switch {
	case arg == "-":
		data, err = io.ReadAll(stdin)
	case len(arg) > 1 && arg[0] == '@':
		data, err = read(arg[1:])
	default:
		return nil, false, nil
	}
	return data, true, err
}

func noValue(key string) error {
	return fmt.Errorf("nothing is remembered under %q; tea ltm ls lists what there is", key)
}
