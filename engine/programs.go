package engine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/graph"
)

// killDelay is how long the streams of a program that was ended may stay open.
const killDelay = 2 * time.Second

// execOf returns what runs programs for an agent: those that it asks for and
// the program around grants.
func (e *Engine) execOf(g *graph.Graph) func(context.Context, actions.Process) error {
	return func(ctx context.Context, p actions.Process) error {
		if len(p.Argv) == 0 || p.Argv[0] == "" {
			return actions.Errorf(actions.CodeInvalidInput, "no program is named")
		}
		switch name := p.Argv[0]; {
		case !slices.Contains(g.Settings.Programs, name):
			return actions.Errorf(actions.CodeDenied,
				"the agent starts %s without asking for it: list it under settings.run.programs", name)
		case !slices.Contains(e.options.Programs, name):
			return actions.Errorf(actions.CodeDenied,
				"the agent wants to start %s on this machine, which nobody has granted: `--allow %s` does", name, name)
		}
		return run(ctx, p)
	}
}

// run runs a program.
func run(ctx context.Context, p actions.Process) error {
	cmd := exec.CommandContext(ctx, p.Argv[0], p.Argv[1:]...) //nolint:gosec // granted by name
	cmd.Env = programEnv(p.Env)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Stdin, p.Stdout, p.Stderr
	cmd.WaitDelay = killDelay
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return actions.Errorf(actions.CodeNotFound, "the program %s is not on this machine: %w", p.Argv[0], err)
	default:
		return actions.Errorf(actions.CodeFailed, "%s: %w", p.Argv[0], err)
	}
}

// programEnv is what a program gets of the environment: what it needs to find
// its way, and no credentials.
func programEnv(own map[string]string) []string {
	var vars []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "HOME", "USER", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "LANG", "TZ":
			vars = append(vars, v)
		default:
			if strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_") {
				vars = append(vars, v)
			}
		}
	}
	for name, text := range own {
		vars = append(vars, name+"="+text)
	}
	return vars
}
