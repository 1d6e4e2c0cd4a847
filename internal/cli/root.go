package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm"
)

// Options is what a program adds to the command.
type Options struct {
	Actions []actions.Action
	Filters []filters.Filter
	Stores  []func(*ltm.Mux) // each adds a store of long-term memory
}

// app is what every subcommand shares.
type app struct {
	options Options
	streams streams
	now     func() time.Time
	ltm     string // --ltm
}

// Main runs the command with args (without the program's name) and returns
// its exit status.
func Main(args []string, o Options) int {
	a := &app{options: o, streams: systemStreams(), now: time.Now} //nolint:forbidigo // where clocks are injected from
	ctx, stop := withSignals(context.Background())
	defer stop()
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.streams.in)
	root.SetOut(a.streams.out)
	root.SetErr(a.streams.err)
	return a.report(stopped(ctx, root.ExecuteContext(ctx)))
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "tea",
		Short: "Run agents written in YAML, and remember what they paid for",
		Long: `tea runs agents that are written in YAML. Any step can be cached with one word:
the second run of an expensive call is answered in milliseconds.

Exit status: 0 done, 1 the run or a validation failed, 2 usage, 3 store or
configuration, 4 a credential is missing, 6 a replay lacks a call, 70 a fault
of tea's own, 124 the run's timeout, 130 and 143 signals.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().Var((*placeFlag)(&a.ltm), "ltm", "long-term memory: a `URL` such as sqlite:///path or mem:// (default: TEA_LTM, else "+defaultMemoryText+")")
	group(root, a.runCommand(), a.validateCommand(), a.testCommand(), a.cacheCommand(), a.llmCacheCommand(), a.ltmCommand(),
		a.cassetteCommand(), a.proxyCommand(), a.actionsCommand(), a.versionCommand())
	for _, c := range root.Commands() {
		markUsageErrors(c)
	}
	return root
}

// group makes a command that only holds others: alone it prints its help, and
// a word that is none of them is a mistake with a suggestion.
func group(c *cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	names := make([]string, len(subcommands))
	for i, s := range subcommands {
		names[i] = s.Name()
	}
	c.AddCommand(subcommands...)
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return usageError{fmt.Errorf("unknown command %q for %q; %s", args[0], c.CommandPath(), diag.DidYouMean(args[0], names))}
	}
	return c
}
