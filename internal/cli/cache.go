package cli

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/ltm/cache"
)

// cacheFlags are the flags that the subcommands of tea cache share.
type cacheFlags struct {
	namespace string
	json      bool
	yes       bool
}

func (a *app) cacheCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "cache",
		Short: "Look at what is remembered, and forget it",
		Long: `Look at cached results, and forget them. They are in the store that --ltm names,
else TEA_CACHE_STORE, else in the memory: that of TEA_LTM, else a file of the
user's. An agent may name a store of its own in settings.cache.store.`,
	}, append(a.cacheTransfer(), a.cacheLs(), a.cacheGet(), a.cacheRm(), a.cacheClear(), a.cacheGC(), a.cacheStats())...)
}

// selector reads a key or pattern argument. Without a namespace it looks
// everywhere; the full text of a key names its own.
func (f cacheFlags) selector() cache.Selector {
	s := cache.Selector{Namespace: cache.AllNamespaces}
	if f.namespace != "" {
		s.Namespace = f.namespace
	}
	return s
}

func (f *cacheFlags) addNamespace(c *cobra.Command) *cobra.Command {
	c.Flags().StringVarP(&f.namespace, "namespace", "n", "", "look only in this `NAMESPACE`: an agent's name")
	return c
}

func (f *cacheFlags) addJSON(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&f.json, "json", false, "write JSON")
	return c
}

func (a *app) cacheLs() *cobra.Command {
	var f cacheFlags
	c := &cobra.Command{
		Use:   "ls [PATTERN]",
		Short: "List entries: key, action, age, time left, size",
		Args:  takes(1),
		RunE: func(c *cobra.Command, args []string) error {
			s := f.selector()
			if len(args) == 1 {
				s.Pattern = args[0]
			}
			return a.withCache(c.Context(), func(k *cache.Cache) error { return a.listEntries(c.Context(), k, s, f.json) })
		},
	}
	return f.addJSON(f.addNamespace(c))
}

func (a *app) listEntries(ctx context.Context, c *cache.Cache, s cache.Selector, asJSON bool) error {
	w := tabwriter.NewWriter(a.streams.out, 0, 0, 2, ' ', 0)
	now := a.now()
	for e, err := range c.List(ctx, s) {
		switch {
		case err != nil:
			return err
		case asJSON:
			err = a.println(entryValue(e, now).Without("value").String())
		default:
			_, err = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d B\n", keyCell(e.Key.String()), e.Action, age(now.Sub(e.CreatedAt)), left(e, now), e.Size)
		}
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

func (a *app) cacheGet() *cobra.Command {
	var f cacheFlags
	c := &cobra.Command{
		Use:   "get KEY",
		Short: "Show one entry with its metadata",
		Long:  "Show one entry with its metadata. KEY is a full key, or with --namespace your own words.",
		Args:  exactly("KEY"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withCache(c.Context(), func(k *cache.Cache) error { return a.showEntry(c.Context(), k, args[0], f.namespace) })
		},
	}
	return f.addNamespace(c)
}

func (a *app) showEntry(ctx context.Context, c *cache.Cache, key, namespace string) error {
	found, err := c.Get(ctx, keyNamespace(key, namespace), key)
	if err != nil {
		return err
	}
	if !found.Found {
		return entryNotFound(key)
	}
	return a.println(entryValue(found.Entry, a.now()).Indent())
}

// keyNamespace is the namespace that was asked for, else that of a full key.
func keyNamespace(key, namespace string) string {
	if k, ok := cache.ParseKey(key); ok && namespace == "" {
		return k.Namespace
	}
	return namespace
}

func (a *app) cacheRm() *cobra.Command {
	var f cacheFlags
	c := &cobra.Command{
		Use:   "rm KEY...",
		Short: "Remove entries by key",
		Args:  takes(anyNumber, "KEY"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withCache(c.Context(), func(k *cache.Cache) error {
				for _, key := range args {
					s := cache.Selector{Agent: keyNamespace(key, f.namespace), Key: key}
					if err := a.invalidate(c.Context(), k, s, key); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	return f.addNamespace(c)
}

// invalidate removes what s selects; with a key, nothing there is a failure.
func (a *app) invalidate(ctx context.Context, c *cache.Cache, s cache.Selector, key string) error {
	gone, err := c.Invalidate(ctx, s)
	if err != nil {
		return err
	}
	if key != "" && gone.Count == 0 {
		return entryNotFound(key)
	}
	return a.println("deleted " + entries(gone.Count))
}

func (a *app) cacheClear() *cobra.Command {
	var f cacheFlags
	c := &cobra.Command{
		Use:   "clear",
		Short: "Remove all entries of a namespace, or with --yes of all",
		Args:  takes(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if f.namespace == "" && !f.yes {
				return usageError{fmt.Errorf("this forgets everything: say --yes, or --namespace NAME for one agent")}
			}
			s := f.selector()
			s.Pattern = "*"
			return a.withCache(c.Context(), func(k *cache.Cache) error { return a.invalidate(c.Context(), k, s, "") })
		},
	}
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "remove the entries of all namespaces")
	return f.addNamespace(c)
}

func (a *app) cacheGC() *cobra.Command {
	return &cobra.Command{
		Use:   "gc",
		Short: "Remove what has expired",
		Args:  takes(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withCache(c.Context(), func(k *cache.Cache) error {
				n, err := k.GC(c.Context())
				if err != nil {
					return err
				}
				return a.println("deleted " + entries(n))
			})
		},
	}
}

func (a *app) cacheStats() *cobra.Command {
	var f cacheFlags
	c := &cobra.Command{
		Use:   "stats",
		Short: "Count entries and bytes by namespace and action",
		Args:  takes(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withCache(c.Context(), func(k *cache.Cache) error {
				s, err := k.Stats(c.Context())
				if err != nil {
					return err
				}
				if f.json {
					return a.println(statsValue(s).Indent())
				}
				return a.printStats(s)
			})
		},
	}
	return f.addJSON(c)
}
