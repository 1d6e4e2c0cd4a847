package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/reference"
)

func (a *app) actionsCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "actions",
		Short: "List and describe the actions that nodes can use",
	}, &cobra.Command{
		Use:   "ls",
		Short: "List the actions",
		Args:  takes(0),
		RunE:  func(*cobra.Command, []string) error { return a.listActions() },
	}, &cobra.Command{
		Use:   "show NAME",
		Short: "Describe one action: parameters, result, examples",
		Args:  exactly("NAME"),
		RunE:  func(_ *cobra.Command, args []string) error { return a.showAction(args[0]) },
	})
}

func (a *app) listActions() error {
	registry, err := a.registry()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(a.streams.out, 0, 0, 2, ' ', 0)
	for _, action := range registry.All() {
		if _, err := fmt.Fprintf(w, "%s\t%s\n", action.Spec().Name, action.Spec().Summary); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (a *app) showAction(name string) error {
	registry, err := a.registry()
	if err != nil {
		return err
	}
	action, ok := registry.Lookup(name)
	if !ok {
		return usageError{unknownAction(registry, name)}
	}
	return a.println(strings.TrimRight(reference.Text(action), "\n"))
}

func unknownAction(registry *actions.Registry, name string) error {
	err := fmt.Errorf("unknown action %q", name)
	if s := registry.Suggest(name); s != "" {
		err = fmt.Errorf("%w; did you mean %q?", err, s)
	}
	return err
}
