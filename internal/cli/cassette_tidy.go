package cli

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/engine/cassette"
)

func (a *app) cassettePrune() *cobra.Command {
	var touched string
	var keep []string
	var apply bool
	c := &cobra.Command{
		Use:   "prune FILE...",
		Short: "Drop calls that nothing uses any more",
		Long: `Drop calls that nothing uses any more. What is used, replays tell: with
TEA_CASSETTE_TOUCHED=LIST in the environment, every replay adds to that file what
it touched. Run all tests so, then give the list here. Without --apply it only
says what would go. A cassette of which nothing was touched is left alone.`,
		Example: `  TEA_CASSETTE_TOUCHED=/tmp/touched go test ./...
  tea cassette prune --touched /tmp/touched --apply testdata/cassettes/*.yaml`,
		Args: takes(anyNumber, "FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if touched == "" && len(keep) == 0 {
				return usageError{fmt.Errorf("say what is still used: --touched LIST or --keep HASH")}
			}
			return a.pruneCassettes(args, touched, keep, apply)
		},
	}
	c.Flags().StringVar(&touched, "touched", "", "keep the calls in this `LIST`, which replays wrote")
	c.Flags().StringSliceVar(&keep, "keep", nil, "keep calls whose hash begins with `HASH`")
	c.Flags().BoolVar(&apply, "apply", false, "drop the others")
	return c
}

func (a *app) pruneCassettes(files []string, list string, keep []string, apply bool) error {
	touched := map[string][]string{}
	if list != "" {
		var err error
		if touched, err = cassette.ReadTouched(list); err != nil {
			return err
		}
	}
	for _, file := range files {
		abs, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		dropped, err := cassette.Prune(file, append(touched[abs], keep...), apply)
		if err != nil {
			return cassetteError(err)
		}
		if err := a.sayDropped(file, dropped, apply); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) sayDropped(file string, dropped []*cassette.Call, apply bool) error {
	for _, c := range dropped {
		if err := a.println("  " + callLine(c)); err != nil {
			return err
		}
	}
	text := file + ": dropped " + count(len(dropped), "call")
	if !apply && len(dropped) > 0 {
		text = file + ": would drop " + count(len(dropped), "call") + "; --apply does it"
	}
	return a.println(text)
}

func (a *app) cassetteScan() *cobra.Command {
	return &cobra.Command{
		Use:   "scan FILE...",
		Short: "Look for what looks like a secret",
		Long:  "Look for what looks like a secret, in cassettes or any other files. Exit status 1 if there is anything.",
		Args:  takes(anyNumber, "FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			n := 0
			for _, file := range args {
				found, err := cassette.Scan(file)
				if err != nil {
					return cassetteError(err)
				}
				n += len(found)
				for _, f := range found {
					if err := a.println(fmt.Sprintf("%s:%d:%d: %s %s", f.File, f.Line, f.Col, f.Kind, f.Preview)); err != nil {
						return err
					}
				}
			}
			if n > 0 {
				return fmt.Errorf("%s that may be a secret", count(n, "place"))
			}
			return nil
		},
	}
}

// callFilter is what tea cassette find looks for.
type callFilter struct{ model, endpoint, provider, text string }

func (a *app) cassetteFind() *cobra.Command {
	var f callFilter
	c := &cobra.Command{
		Use:   "find DIR",
		Short: "Find calls in all cassettes below a directory",
		Long: `Find calls in all cassettes below a directory. Several conditions all have to
hold; * stands for any characters. The text is looked for in prompts, requests
and answers, in any case.`,
		Args: exactly("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return usageError{err}
			}
			return a.findCalls(args[0], f)
		},
	}
	c.Flags().StringVar(&f.model, "model", "", "only calls of this `MODEL`")
	c.Flags().StringVar(&f.endpoint, "endpoint", "", "only calls of this `ENDPOINT`: an action or a path")
	c.Flags().StringVar(&f.provider, "provider", "", "only calls of this `PROVIDER`")
	c.Flags().StringVar(&f.text, "text", "", "only calls with this `TEXT` in them")
	return c
}

func (f callFilter) check() error {
	for flag, pattern := range map[string]string{"model": f.model, "endpoint": f.endpoint, "provider": f.provider} {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("--%s %q: %w", flag, pattern, err)
		}
	}
	return nil
}

func (a *app) findCalls(dir string, f callFilter) error {
	return cassette.Walk(dir, func(c *cassette.Cassette, err error) error {
		if err != nil {
			a.streams.say("tea: %v", err)
			return nil
		}
		for call, err := range c.Calls() {
			if err != nil {
				a.streams.say("tea: %v", err)
				continue
			}
			if f.matches(call) {
				if err := a.println(c.Path + "  " + callLine(call)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (f callFilter) matches(c *cassette.Call) bool {
	return like(f.model, c.Model) && like(f.endpoint, c.Endpoint) && like(f.provider, c.Provider) && f.hasText(c)
}

// like matches * with any characters, slashes too.
func like(pattern, s string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(s, "/", "\x00"))
	return pattern == "" || ok && err == nil
}

func (f callFilter) hasText(c *cassette.Call) bool {
	return f.text == "" || strings.Contains(strings.ToLower(c.YAML()), strings.ToLower(f.text))
}
