package cli

import (
	"errors"
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/internal/diag"
)

func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "validate AGENT.yaml...",
		Short: "Check agents without running them",
		Long: `Check agents without running them: every mistake at once, each with its place,
the lines around it and what would mend it.`,
		Args: takes(anyNumber, "AGENT.yaml"),
		RunE: func(_ *cobra.Command, args []string) error { return a.validate(args) },
	}
}

func (a *app) validate(files []string) error {
	e, err := a.engine(choices{level: slog.LevelWarn})
	if err != nil {
		return err
	}
	defer a.close(e)
	var problems diag.List
	var badStores error
	for _, file := range files {
		agent, err := e.Load(file)
		var found diag.List
		switch {
		case errors.As(err, &found):
			problems = append(problems, found...)
		case err != nil:
			return err
		default:
			problems = append(problems, agent.Warnings()...)
			if err := e.CheckStores(agent); err != nil {
				badStores = errors.Join(badStores, err)
				continue
			}
			if err := a.println(file + ": ok, " + count(len(agent.Nodes()), "node")); err != nil {
				return err
			}
		}
	}
	if problems.HasErrors() {
		if badStores != nil {
			a.streams.say("tea: %v", badStores)
		}
		return problems
	}
	a.showDiagnostics(problems)
	return badStores
}
