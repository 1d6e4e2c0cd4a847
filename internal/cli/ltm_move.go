package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/transfer"
	"github.com/tea-agents/tea/value"
)

// moveFlags are the flags of what moves entries.
type moveFlags struct {
	namespaces []string
	onConflict string
	dryRun     bool
	verbose    bool
	json       bool
}

func (f *moveFlags) addTo(c *cobra.Command) *cobra.Command {
	flags := c.Flags()
	flags.StringArrayVarP(&f.namespaces, "namespace", "n", nil, "only this `NAMESPACE` (all of them); may be repeated")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "tell every ten seconds how far it is")
	return addJSON(c, &f.json)
}

// addTarget adds the flags of what stores entries.
func (f *moveFlags) addTarget(c *cobra.Command) *cobra.Command {
	flags := c.Flags()
	flags.StringVar(&f.onConflict, "on-conflict", string(transfer.Fail), "`WHAT` to do where something else is under a key: fail, skip or overwrite")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be stored, and store nothing")
	return f.addTo(c)
}

// shownConflicts is how many conflicts are told one by one.
const shownConflicts = 10

// options are those of package transfer; bar is told how far it is.
func (a *app) moveOptions(f moveFlags, bar *meter) (*transfer.Options, error) {
	on, err := transfer.ParseOnConflict(f.onConflict)
	if err != nil {
		return nil, usageError{fmt.Errorf("--on-conflict: %w", err)}
	}
	conflicts := 0
	return &transfer.Options{
		Namespaces: f.namespaces, OnConflict: on, DryRun: f.dryRun, Progress: bar.add,
		Damaged: func(d transfer.Found) {
			bar.end()
			a.streams.say("tea: left out: %v", d.Err)
		},
		Conflict: func(e ltm.Entry) {
			if conflicts++; on == transfer.Fail && conflicts <= shownConflicts {
				bar.end()
				a.streams.say("tea: something else is under %s", place(&e))
			}
		},
	}, nil
}

// place names an entry for people.
func place(e *ltm.Entry) string {
	if e.Namespace == "" {
		return fmt.Sprintf("%q", e.Key)
	}
	return fmt.Sprintf("%q in namespace %q", e.Key, e.Namespace)
}

// measure tells a meter how much there is.
func measure(ctx context.Context, bar *meter, m *ltm.Memory, f moveFlags) {
	if bar == nil {
		return
	}
	counts, err := m.Stats(ctx)
	if err != nil {
		return // then the bar goes without; the work itself will tell
	}
	for _, n := range counts {
		if f.namespaces == nil || slices.Contains(f.namespaces, n.Namespace) {
			bar.total += n.Entries
		}
	}
}

func (a *app) ltmCopy() *cobra.Command {
	var f moveFlags
	var spaces []string
	c := f.addTarget(&cobra.Command{
		Use:   "copy SRC DST",
		Short: "Copy everything from one memory to another, by their URLs",
		Long: `Copy everything from one memory to another, by their URLs, with metadata, times
and expiry. It can be repeated: what is there already stays as it is. In the end
it looks whether every key has arrived. A SQLite file to copy from must be there.`,
		Example: `  tea ltm copy memory.db 'sqlite:///backup/memory.db'
  tea ltm copy memory.db other.db --space user --space cache --space llm --on-conflict overwrite`,
		Args: exactly("SRC", "DST"),
		RunE: func(c *cobra.Command, args []string) error {
			if args[0] == args[1] {
				return usageError{errors.New("SRC and DST are the same")}
			}
			var chosen []driver.Space
			for _, name := range spaces {
				s, err := transfer.ParseSpace(name)
				if err != nil {
					return usageError{fmt.Errorf("--space: %w", err)}
				}
				chosen = append(chosen, s)
			}
			return a.copyAll(c.Context(), args[0], args[1], chosen, f)
		},
	})
	c.Flags().StringArrayVar(&spaces, "space", []string{driver.User.String()}, "copy this `SPACE`: user (what agents remember), cache or llm; may be repeated")
	return c
}

func (a *app) copyAll(ctx context.Context, src, dst string, spaces []driver.Space, f moveFlags) error {
	return storeError(a.withURL(ctx, src, &ltm.Options{Now: a.now, Existing: true}, func(from *ltm.Memory) error {
		return a.withURL(ctx, dst, &ltm.Options{Now: a.now}, func(to *ltm.Memory) error {
			var errs []error
			for _, s := range spaces {
				errs = append(errs, a.copySpace(ctx, from.In(s, ""), to.In(s, ""), f))
			}
			return errors.Join(errs...)
		})
	}))
}

func (a *app) copySpace(ctx context.Context, from, to *ltm.Memory, f moveFlags) error {
	bar := a.meter("copying", 0, f.verbose)
	o, err := a.moveOptions(f, bar)
	if err != nil {
		return err
	}
	measure(ctx, bar, from, f)
	res, missing, err := transfer.Copy(ctx, from, to, o)
	bar.end()
	err = moved(res, f, err)
	if missing > 0 {
		err = errors.Join(err, fmt.Errorf("%s of %s did not arrive at %s, or went again meanwhile: repeat it", entries(missing), from.URL(), to.URL()))
	}
	return errors.Join(a.sayMoved(from.Space().String()+": ", from.Space(), res, f), err)
}

// moved returns why a move counts as failed.
func moved(res transfer.Result, f moveFlags, err error) error {
	switch {
	case errors.Is(err, transfer.ErrConflict), err == nil && res.Conflicts > 0:
		so := "what came before is stored"
		if f.dryRun {
			so = "nothing was stored"
		}
		return fmt.Errorf("%s in conflict: the destination holds something else (%s); say --on-conflict skip, or overwrite", count(int(res.Conflicts), "key"), so)
	case err == nil && res.Damaged > 0:
		return fmt.Errorf("left out for being damaged: %s", entries(res.Damaged))
	}
	return err
}

// sayMoved tells what became of the entries that were read.
func (a *app) sayMoved(prefix string, space driver.Space, r transfer.Result, f moveFlags) error {
	if f.json {
		return a.println(value.Object(
			value.M("dry_run", value.Bool(f.dryRun)), value.M("entries", value.Int(r.Entries)), value.M("created", value.Int(r.Created)),
			value.M("overwritten", value.Int(r.Overwritten)), value.M("same", value.Int(r.Same)), value.M("skipped", value.Int(r.Skipped)),
			value.M("expired", value.Int(r.Expired)), value.M("damaged", value.Int(r.Damaged)), value.M("conflicts", value.Int(r.Conflicts)),
			value.M("space", value.String(space.String())),
		).Indent())
	}
	parts := []string{}
	for _, p := range []struct {
		n    int64
		says string
	}{
		{r.Created, "created"}, {r.Overwritten, "overwritten"}, {r.Same, "there already"}, {r.Skipped, "left as they are"},
		{r.Expired, "expired"}, {r.Damaged, "damaged"}, {r.Conflicts, "in conflict"},
		{r.Entries - r.Created - r.Overwritten - r.Same - r.Skipped - r.Expired - r.Conflicts, "not stored"}, // it failed before
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.says))
		}
	}
	text := prefix + entries(r.Entries)
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if f.dryRun {
		text += " (nothing was stored: --dry-run)"
	}
	return a.println(text)
}
