package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/transfer"
	"github.com/tea-agents/tea/value"
)

// cacheTransfer returns the commands that move the cache and look whether it is
// whole.
func (a *app) cacheTransfer() []*cobra.Command {
	return []*cobra.Command{a.cacheExport(), a.cacheImport(), a.cacheVerify()}
}

func (a *app) cacheExport() *cobra.Command {
	return a.exportCommand(driver.Cache, `Write all entries that have not expired, with all that their keys were made of, to
a file or to stdout, a JSON object a line, with checksums. The key by which the
cache hides secrets is not in it: elsewhere, calls with secrets are misses.`,
		`  tea cache export cache.ndjson
  tea cache export --namespace my-agent | ssh other tea cache import -`)
}

func (a *app) cacheImport() *cobra.Command {
	return a.importCommand(driver.Cache, `Store the entries that tea cache export wrote, from a file or, with -, from stdin.
It can be repeated: what is there already stays as it is. A file is looked
through before anything is stored; from stdin all is stored that comes before a
fault.`,
		`  tea cache import cache.ndjson --on-conflict skip
  tea cache import cache.ndjson --dry-run --json`)
}

func (a *app) cacheVerify() *cobra.Command {
	var f cacheFlags
	var repair, verbose bool
	c := &cobra.Command{
		Use:   "verify",
		Short: "Read every entry and list the damaged ones",
		Long: `Read every entry, look whether its checksum fits, and list those of which it does
not. Exit status 1 if there are any and --repair does not delete them. A run that
meets a damaged entry takes it for a miss.`,
		Example: `  tea cache verify
  tea cache verify --repair --namespace my-agent`,
		Args: takes(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withSpace(c.Context(), driver.Cache, func(m *ltm.Memory) error {
				v := verification{app: a, m: m, repair: repair, bar: a.meter("verifying", 0, verbose)}
				if f.namespace != "" {
					v.namespaces = []string{f.namespace}
				}
				return v.run(c.Context(), f.json)
			})
		},
	}
	c.Flags().BoolVar(&repair, "repair", false, "delete what is damaged")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "tell every ten seconds how far it is")
	return f.addJSON(f.addNamespace(c))
}

// verification is a tea cache verify under way.
type verification struct {
	*app
	m          *ltm.Memory
	namespaces []string
	repair     bool
	bar        *meter

	entries int64
	deleted int64
	damaged []value.Value
}

func (v *verification) run(ctx context.Context, asJSON bool) error {
	measure(ctx, v.bar, v.m, moveFlags{namespaces: v.namespaces})
	err := v.walk(ctx, asJSON)
	v.bar.end()
	if err != nil {
		return err
	}
	left := int64(len(v.damaged)) - v.deleted
	if asJSON {
		err = v.println(value.Object(value.M("entries", value.Int(v.entries)), value.M("damaged", value.List(v.damaged...)),
			value.M("deleted", value.Int(v.deleted))).Indent())
	} else {
		err = v.println(fmt.Sprintf("%s, %d damaged, %d deleted", entries(v.entries), len(v.damaged), v.deleted))
	}
	if err == nil && left > 0 {
		err = fmt.Errorf("%s damaged; tea cache verify --repair deletes them", entries(left))
	}
	return err
}

func (v *verification) walk(ctx context.Context, asJSON bool) error {
	for f, err := range transfer.Walk(ctx, v.m, transfer.Selection{Namespaces: v.namespaces, Internal: true}) {
		if err != nil {
			return err
		}
		v.entries++
		v.bar.add(1)
		if reason := fault(&f); reason != nil {
			if err := v.found(ctx, &f, reason, asJSON); err != nil {
				return err
			}
		}
	}
	return nil
}

// fault says what is wrong with an entry of the cache, if anything.
func fault(f *transfer.Found) error {
	if f.Err != nil {
		var of *ltm.Error
		if errors.As(f.Err, &of) {
			return of.Err
		}
		return f.Err
	}
	if key := cacheKey(f); key != f.Key && f.Metadata.At(cache.MetaKey).Text() != key {
		return errors.New("its metadata belong to another key")
	}
	return nil
}

// cacheKey is the full key of an entry, or the key as it stands of a row that
// is none.
func cacheKey(f *transfer.Found) string {
	k, ok := cache.ParseKey("cache::" + f.Key)
	if !ok {
		return f.Key
	}
	k.Namespace = f.Namespace
	return k.String()
}

func (v *verification) found(ctx context.Context, f *transfer.Found, reason error, asJSON bool) error {
	v.damaged = append(v.damaged, value.Object(value.M("key", value.String(cacheKey(f))), value.M("reason", value.String(reason.Error()))))
	if !asJSON {
		v.bar.end()
		if err := v.println(fmt.Sprintf("%s  %v", cacheKey(f), reason)); err != nil {
			return err
		}
	}
	if !v.repair || errors.Is(reason, ltm.ErrNewer) { // whoever wrote it can read it
		return nil
	}
	gone, err := v.m.In(driver.Cache, f.Namespace).Delete(ctx, f.Key)
	if gone {
		v.deleted++
	}
	return err
}
