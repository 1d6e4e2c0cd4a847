package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/internal/proxy"
)

// proxyFlags are the flags of tea proxy.
type proxyFlags struct {
	modeFlags
	listen    string
	upstreams []string
	speed     float64
}

func (a *app) proxyCommand() *cobra.Command {
	var f proxyFlags
	c := &cobra.Command{
		Use:   "proxy --record | --replay | --record-missing [-- COMMAND ARGS...]",
		Short: "Record and replay what any program says to models",
		Long: `Record and replay what any program says to OpenAI, Anthropic, Gemini, Ollama or any
server over plain HTTP. With a COMMAND, it is run with the environment that leads
it here, and its exit status becomes that of tea: the cassette is written if it
passed, else beside it, as .failed. Without one, tea serves until it is stopped.

In a replay nothing is connected to and no credential is needed; a request that
was not recorded is answered with status 424, and tea exits with 6.`,
		Example: `  tea proxy --record=cassettes/app.yaml -- python app.py
  tea proxy --replay=cassettes/app.yaml -- python app.py
  tea proxy --record-missing --listen 127.0.0.1:8080 --upstream openai=https://llm.example.com/v1`,
		Args: func(c *cobra.Command, args []string) error {
			if dash := c.ArgsLenAtDash(); len(args) > 0 && dash != 0 {
				return fmt.Errorf("%q is out of place: a file follows its flag with =, as in --record=FILE, and a command follows --", args[0])
			}
			return nil
		},
		PreRunE: func(c *cobra.Command, _ []string) error {
			return exclusive(c, []string{"record", "replay", "record-missing"})
		},
		RunE: func(c *cobra.Command, args []string) error { return a.proxy(c.Context(), f, args) },
	}
	flags := c.Flags()
	f.register(flags, "cassettes/proxy.yaml", "record everything afresh", "answer from the cassette alone",
		"answer from the cassette, and record what is not in it")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "`ADDRESS` to listen on; port 0 is any that is free")
	flags.StringArrayVar(&f.upstreams, "upstream", nil, "where requests go: `NAME=URL`, or a URL for all providers; may be repeated")
	flags.Float64Var(&f.speed, "replay-speed", 0, "how fast streams are replayed: 0 at once, 1 as recorded, `N` times that")
	return c
}

// cassette returns the mode and the file that flags and environment ask for.
func (f *proxyFlags) cassette() (cassette.Mode, string, error) {
	mode, file, said, err := f.mode()
	switch {
	case err != nil:
		return mode, "", usageError{err}
	case !said:
		return mode, "", usageError{fmt.Errorf("say --record, --replay or --record-missing, or set %s", cassette.EnvMode)}
	case file == "":
		file = filepath.Join(cmp.Or(os.Getenv(cassette.EnvDir), "cassettes"), "proxy.yaml")
	}
	return mode, file, nil
}

// proxy serves until ctx is done or the command has ended.
func (a *app) proxy(ctx context.Context, f proxyFlags, command []string) error {
	mode, file, err := f.cassette()
	if err != nil {
		return err
	}
	upstreams, err := proxy.ParseUpstreams(f.upstreams)
	if err != nil {
		return usageError{err}
	}
	s, err := cassette.New(file, &cassette.Options{
		Mode: mode, ReplaySpeed: f.speed, Redact: redactEnvironment(os.Environ()), Now: a.now,
		Tool: version, Touched: os.Getenv(cassette.EnvTouched), RecordCommand: "tea proxy --record-missing=" + file,
	})
	if err != nil {
		return cassetteError(err)
	}
	p, err := proxy.New(proxy.Options{Session: s, Upstreams: upstreams, Failed: func(method, path string, err error) {
		a.streams.say("tea: %s %s: %v", method, path, err)
	}})
	if err != nil {
		return err
	}
	l, err := a.listen(ctx, f.listen)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	return a.serveProxy(ctx, p, s, l, command)
}

// serveProxy serves until the end, and writes the cassette.
func (a *app) serveProxy(ctx context.Context, p *proxy.Proxy, s *cassette.Session, l net.Listener, command []string) error {
	env := proxyEnvironment(l.Addr().String())
	serving, stop := context.WithCancel(ctx)
	if len(command) > 0 {
		serving, stop = context.WithCancel(context.WithoutCancel(ctx)) // as long as the command
	}
	defer stop()
	served := make(chan error, 1)
	go func() { served <- p.Serve(serving, l) }()

	var failed error
	if len(command) > 0 {
		failed = a.runCommandWith(ctx, command, slices.Concat(env, dummyKeys(s.Mode()), aroundProxies(os.Getenv)))
		stop()
	} else if failed = a.showEnvironment(env, s); failed != nil {
		stop()
	}
	failed = errors.Join(failed, <-served)
	if err := s.Finish(failed == nil); err != nil {
		return cassetteError(err)
	}
	if n := p.Misses(); n > 0 {
		return actions.Errorf(actions.CodeReplayMiss, "%d of the requests had no recorded answer in %s", n, s.Path())
	}
	return failed
}

// showEnvironment says how to be led here.
func (a *app) showEnvironment(env []string, s *cassette.Session) error {
	a.streams.say("tea proxy: %s %s; stop with Ctrl-C. Set for your program:", s.Mode(), s.Path())
	for _, line := range env {
		if err := a.println(line); err != nil {
			return err
		}
	}
	return nil
}

// listen opens the address, with a warning when others can reach it.
func (a *app) listen(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, usageError{fmt.Errorf("--listen %s: want HOST:PORT, as in 127.0.0.1:8080", address)}
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		a.streams.say("tea proxy: warning: %s is not only for this machine: whoever reaches it can use what is recorded, and your upstreams", address)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", address, err)
	}
	return l, nil
}
