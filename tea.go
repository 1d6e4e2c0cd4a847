// Package tea is the whole tea command as a library: a program of yours that
// calls [Main] is the command, with your own actions and filters in it.
//
// To run agents inside a program without the command, use package
// [github.com/tea-agents/tea/engine].
package tea

import (
	"os"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/cli"
	"github.com/tea-agents/tea/ltm"
)

// Option adds something to the command.
type Option func(*cli.Options)

// WithActions adds actions to those that ship. A name that is taken is an
// error when the command starts.
func WithActions(list ...actions.Action) Option {
	return func(o *cli.Options) { o.Actions = append(o.Actions, list...) }
}

// WithFilters adds template filters to those that ship. A name that is taken
// is an error when the command starts.
func WithFilters(list ...filters.Filter) Option {
	return func(o *cli.Options) { o.Filters = append(o.Filters, list...) }
}

// WithStores adds stores of long-term memory: each function registers the
// schemes of its URLs, as ltm/builtin does for those that ship.
func WithStores(register ...func(*ltm.Mux)) Option {
	return func(o *cli.Options) { o.Stores = append(o.Stores, register...) }
}

// Main runs the command with the process's arguments and exits with its
// status: 0 done, 1 the run or a validation failed, 2 usage, 3 store or
// configuration, 4 a credential is missing, 6 a replay lacks a call, 70 a fault
// of tea's own, 124 the run's timeout, 130 and 143 signals.
func Main(options ...Option) {
	var o cli.Options
	for _, add := range options {
		add(&o)
	}
	os.Exit(cli.Main(os.Args[1:], o))
}
