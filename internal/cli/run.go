package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/value"
)

// runFlags are the flags of tea run.
type runFlags struct {
	input          []string
	allow          []string
	cache          string
	noCache        bool
	refresh        bool
	output         string
	print          string
	stream         bool
	verbose, quiet bool
	llmCache       string
	deterministic  bool
	recording      recordFlags
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run AGENT.yaml",
		Short: "Run an agent",
		Long: `Run an agent. Its result goes to stdout as JSON; progress, logs and prints go to
stderr, a line a node with its duration and what the cache did.`,
		Example: `  tea run agent.yaml --input city=Oslo --input '{"limit": 3}' --input @more.json
  tea run agent.yaml --print state.answer
  tea run agent.yaml --refresh
  tea run agent.yaml --record && tea run agent.yaml --replay`,
		Args: exactly("AGENT.yaml"),
		PreRunE: func(c *cobra.Command, _ []string) error {
			err := exclusive(c, []string{"cache", "no-cache", "refresh"}, []string{"verbose", "quiet"}, []string{"print", "stream", "output"},
				[]string{"record", "replay", "record-missing"})
			if err != nil {
				return err
			}
			return f.recording.check(c.Flags().Changed)
		},
		RunE: func(c *cobra.Command, args []string) error { return a.run(c.Context(), args[0], f) },
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.allow, "allow", nil, "let the agent start this `PROGRAM` of the machine, if it asks for it; may be repeated")
	flags.StringArrayVarP(&f.input, "input", "i", nil, "starting state: `JSON`, @file, @- or key=value; may be repeated")
	flags.StringVar(&f.cache, "cache", "", "cache `MODE` for the whole run: off, read, write, both or require")
	flags.BoolVar(&f.noCache, "no-cache", false, "the same as --cache=off")
	flags.BoolVar(&f.refresh, "refresh", false, "the same as --cache=write: look nothing up, store what is new")
	flags.StringVar(&f.llmCache, "llm-cache", "", "cache `MODE` for answers of models: off, read, write or both")
	flags.BoolVar(&f.deterministic, "deterministic", false, "run equal runs alike: a clock that stands still, a fixed seed, --llm-cache=both")
	f.recording.register(flags)
	flags.StringVarP(&f.output, "output", "o", "json", "`FORMAT` of the result on stdout: json or none")
	flags.StringVarP(&f.print, "print", "p", "", "print one `EXPRESSION` over the last state instead, such as state.answer")
	flags.BoolVar(&f.stream, "stream", false, "write the run's events to stdout instead, a JSON object a line")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show cache keys, reasons and inner calls")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "show failures only")
	return c
}

// choices are what the flags say about the engine.
func (f runFlags) choices() choices {
	return choices{
		cache: f.mode(), llmCache: f.llmCache, deterministic: f.deterministic, programs: f.allow, level: f.logLevel(),
	}
}

func (f runFlags) level() verbosity {
	switch {
	case f.quiet:
		return quiet
	case f.verbose:
		return verbose
	default:
		return normal
	}
}

// mode is the cache mode that the flags ask for, or "".
func (f runFlags) mode() string {
	switch {
	case f.noCache:
		return cache.Off.String()
	case f.refresh:
		return cache.Write.String()
	default:
		return f.cache
	}
}

// check finds mistakes in the values of flags.
func (f runFlags) check() error {
	if !slices.Contains([]string{"json", "none"}, f.output) {
		return usageError{fmt.Errorf("--output %s: want json or none", f.output)}
	}
	if _, err := cache.ParseMode(f.cache); err != nil && f.cache != "" {
		return usageError{fmt.Errorf("--cache: %w", err)}
	}
	if _, err := llmcache.ParseMode(f.llmCache); err != nil && f.llmCache != "" {
		return usageError{fmt.Errorf("--llm-cache: %w", err)}
	}
	return nil
}

// logLevel is from where on log records are shown.
func (f runFlags) logLevel() slog.Level {
	switch f.level() {
	case quiet:
		return slog.LevelError
	case verbose:
		return slog.LevelDebug
	default:
		return slog.LevelWarn
	}
}

func (a *app) run(ctx context.Context, file string, f runFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	input, err := readInput(f.input, a.streams.in)
	if err != nil {
		return err
	}
	show, err := a.printer(f)
	if err != nil {
		return err
	}
	e, err := a.engine(f.choices())
	if err != nil {
		return err
	}
	defer a.close(e)
	agent, err := e.Load(file)
	if err != nil {
		return err
	}
	tape, err := a.cassette(agent, file, f)
	if err != nil {
		return err
	}
	result, err := a.drive(ctx, e, agent, input, tape, f)
	if err = tape.finish(a.streams, err, f.quiet); err != nil {
		return err
	}
	return show(result)
}

// drive runs an agent to its end, and shows how it goes.
func (a *app) drive(ctx context.Context, e *engine.Engine, agent *engine.Agent, input value.Value, tape *tape, f runFlags) (engine.Result, error) {
	run, err := e.Start(ctx, agent, input, &engine.RunOptions{Cassette: tape.session(), RecordFromCache: f.recording.fromCache})
	if err != nil {
		return engine.Result{}, err
	}
	if !f.quiet {
		a.showDiagnostics(agent.Warnings())
	}
	a.follow(run, agent, f)
	return run.Wait()
}

// follow shows the run's events while they come.
func (a *app) follow(run *engine.Run, agent *engine.Agent, f runFlags) {
	p := newProgress(a.streams.err, f.level(), agent.Nodes())
	p.live = a.streams.terminal() && f.level() != quiet
	out := json.NewEncoder(a.streams.out)
	out.SetEscapeHTML(false)
	for e := range run.Events() {
		p.show(e)
		if f.stream {
			a.streamEvent(out, e)
		}
	}
}

// streamEvent writes an event. When nobody reads any more, the run goes on:
// its effects matter more than its story.
func (a *app) streamEvent(out *json.Encoder, e event.Event) { _ = out.Encode(e) }

// printer returns what shows a result on stdout, by the flags.
func (a *app) printer(f runFlags) (func(engine.Result) error, error) {
	switch {
	case f.stream || f.output == "none":
		return func(engine.Result) error { return nil }, nil
	case f.print == "":
		return func(r engine.Result) error { return a.println(r.Output.Indent()) }, nil
	}
	set, err := filters.NewSet(a.options.Filters...)
	if err != nil {
		return nil, err
	}
	expr, err := set.CompileExpr(f.print)
	if err != nil {
		return nil, usageError{fmt.Errorf("--print %s: %w", shorten(f.print), err)}
	}
	for _, name := range expr.Names() {
		if known := []string{"state", "output"}; !slices.Contains(known, name) {
			return nil, usageError{fmt.Errorf("--print %s: unknown name %q; %s", shorten(f.print), name, diag.DidYouMean(name, known))}
		}
	}
	return func(r engine.Result) error {
		v, err := expr.Eval(context.Background(), filters.MapScope{"state": r.State, "output": r.Output})
		if err != nil {
			return fmt.Errorf("--print %s: %w", shorten(f.print), err)
		}
		return a.println(plain(v))
	}, nil
}

// plain writes a string as it stands and everything else as JSON.
func plain(v value.Value) string {
	if text, ok := v.AsString(); ok {
		return text
	}
	return v.String()
}

func (a *app) println(line string) error {
	_, err := fmt.Fprintln(a.streams.out, line)
	return err
}
