package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/llmcache"
)

func (a *app) llmCacheCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "llm-cache",
		Short: "Look at the answers of models that are kept, and remove them",
	}, a.llmCacheStats(), a.llmCacheLs(), a.llmCacheGet(), a.llmCacheEvict(),
		a.llmCachePin("pin", "Keep answers from being evicted", true),
		a.llmCachePin("unpin", "Let pinned answers be evicted again", false),
		a.llmCacheRm(), a.llmCacheClear())
}

// withLLMCache opens the memory and runs f on the answers of models in it.
func (a *app) withLLMCache(ctx context.Context, f func(*llmcache.Cache) error) error {
	return a.withMemory(ctx, a.cacheURL(), func(memory *ltm.Memory) error {
		c := llmcache.New(memory, nil)
		return errors.Join(f(c), c.Close())
	})
}

func addJSON(c *cobra.Command, json *bool) *cobra.Command {
	c.Flags().BoolVar(json, "json", false, "write JSON")
	return c
}

func (a *app) llmCacheStats() *cobra.Command {
	var json bool
	return addJSON(&cobra.Command{
		Use:   "stats",
		Short: "Count answers, hits, and the tokens and money they saved",
		Args:  takes(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withLLMCache(c.Context(), func(k *llmcache.Cache) error {
				s, err := k.Stats(c.Context())
				if err != nil {
					return err
				}
				if json {
					return a.println(llmStatsValue(s).Indent())
				}
				return a.printLLMStats(s)
			})
		},
	}, &json)
}

func (a *app) llmCacheLs() *cobra.Command {
	var json bool
	var model string
	c := addJSON(&cobra.Command{
		Use:   "ls",
		Short: "List answers, the last used first: key, model, age, hits, size",
		Args:  takes(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withLLMCache(c.Context(), func(k *llmcache.Cache) error {
				infos, err := k.List(c.Context())
				if err != nil {
					return err
				}
				return a.listAnswers(ofModel(infos, model), json)
			})
		},
	}, &json)
	c.Flags().StringVar(&model, "model", "", "only those of this `MODEL`, with or without its provider")
	return c
}

func (a *app) llmCacheGet() *cobra.Command {
	var raw bool
	c := &cobra.Command{
		Use:   "get KEY",
		Short: "Show one answer with its request; this is no hit",
		Long:  "Show one answer with its request. KEY is a key or the beginning of one.",
		Args:  exactly("KEY"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withLLMCache(c.Context(), func(k *llmcache.Cache) error { return a.showAnswer(c.Context(), k, args[0], raw) })
		},
	}
	c.Flags().BoolVar(&raw, "raw", false, "write the provider's answer alone, byte for byte")
	return c
}

func (a *app) showAnswer(ctx context.Context, k *llmcache.Cache, prefix string, raw bool) error {
	key, err := answerKey(ctx, k, prefix)
	if err != nil {
		return err
	}
	e, err := k.Inspect(ctx, key)
	switch {
	case err != nil:
		return err
	case e == nil:
		return noAnswer(prefix)
	case raw && e.Raw == nil:
		return fmt.Errorf("the answer under %s has no raw bytes", key)
	case raw:
		_, err = a.streams.out.Write(e.Raw)
		return err
	}
	return a.println(answerValue(e).Indent())
}

func (a *app) llmCachePin(name, short string, pinned bool) *cobra.Command {
	return &cobra.Command{
		Use:   name + " KEY...",
		Short: short,
		Args:  takes(anyNumber, "KEY"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withAnswers(c.Context(), args, func(k *llmcache.Cache, key string) error {
				if err := k.Pin(c.Context(), key, pinned); err != nil {
					return err
				}
				return a.println(name + "ned " + key)
			})
		},
	}
}

func (a *app) llmCacheRm() *cobra.Command {
	return &cobra.Command{
		Use:   "rm KEY...",
		Short: "Remove answers, pinned ones too",
		Args:  takes(anyNumber, "KEY"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withAnswers(c.Context(), args, func(k *llmcache.Cache, key string) error {
				if _, err := k.Delete(c.Context(), key); err != nil {
					return err
				}
				return a.println("deleted " + key)
			})
		},
	}
}

func (a *app) llmCacheClear() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "clear --yes",
		Short: "Remove all answers, pinned ones too, and all counts",
		Args:  takes(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if !yes {
				return usageError{errors.New("this forgets every answer and all counts: say --yes, or see tea llm-cache evict")}
			}
			return a.withLLMCache(c.Context(), func(k *llmcache.Cache) error {
				n, err := k.Clear(c.Context())
				if err != nil {
					return err
				}
				return a.println("deleted " + entries(n))
			})
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "remove everything")
	return c
}

// withAnswers runs f for each of the keys that people gave, after all of them
// were found.
func (a *app) withAnswers(ctx context.Context, prefixes []string, f func(k *llmcache.Cache, key string) error) error {
	return a.withLLMCache(ctx, func(k *llmcache.Cache) error {
		keys := make([]string, len(prefixes))
		var problems []error
		for i, prefix := range prefixes {
			var err error
			keys[i], err = answerKey(ctx, k, prefix)
			problems = append(problems, err)
		}
		if err := errors.Join(problems...); err != nil {
			return err
		}
		for _, key := range keys {
			if err := f(k, key); err != nil {
				return err
			}
		}
		return nil
	})
}

// answerKey returns the one key that begins as a person said.
func answerKey(ctx context.Context, k *llmcache.Cache, prefix string) (string, error) {
	if strings.Trim(prefix, "0123456789abcdef") != "" || prefix == "" {
		return "", usageError{fmt.Errorf("%q is no key: want hex digits in lower case", prefix)}
	}
	keys, err := k.Find(ctx, prefix)
	switch {
	case err != nil:
		return "", err
	case len(keys) == 0:
		return "", noAnswer(prefix)
	case len(keys) > 1:
		return "", fmt.Errorf("%d keys begin with %q; say more digits", len(keys), prefix)
	}
	return keys[0], nil
}

func noAnswer(prefix string) error {
	return fmt.Errorf("no answer under %q; tea llm-cache ls lists what there is", prefix)
}
