package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/value"
)

// evictDays names the variable that says after how many days an answer goes
// that never was hit.
const evictDays = "TEA_LLM_CACHE_EVICT_DAYS"

func (a *app) llmCacheEvict() *cobra.Command {
	older, idle := limit{time: llmcache.DefaultOlderThan}, limit{time: llmcache.DefaultIdle}
	var o llmcache.EvictOptions
	var json bool
	c := addJSON(&cobra.Command{
		Use:   "evict",
		Short: "Remove answers that nobody asks for; never pinned ones",
		Long: `Remove answers that nobody asks for: those older than 90 days that never were
hit, those that were not hit for a year, and the least recently used ones when
all take more than 2 GiB. Pinned ones stay.`,
		Args: takes(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("older-than") {
				if err := older.fromEnvironment(); err != nil {
					return err
				}
			}
			o.OlderThan, o.Idle = older.option(), idle.option()
			if o.MaxBytes == 0 {
				o.MaxBytes = 1 // 0 stands for the default there
			}
			return a.withLLMCache(c.Context(), func(k *llmcache.Cache) error {
				gone, err := k.Evict(c.Context(), o)
				if err != nil && gone.Entries == 0 {
					return err
				}
				return errors.Join(a.printEvicted(gone, o.DryRun, json), err)
			})
		},
	}, &json)
	c.Flags().Var(&older, "older-than", "the `AGE` from which an answer goes that never was hit, such as 90d, or never; "+evictDays+" sets it too")
	c.Flags().Var(&idle, "idle", "the `TIME` without a hit after which any answer goes, such as 365d, or never")
	c.Flags().Int64Var(&o.MaxBytes, "max-bytes", llmcache.DefaultMaxBytes, "how many bytes all answers may take; -1 is any")
	c.Flags().BoolVar(&o.Unhit, "unhit", false, "remove only what never was hit")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "say what would be removed, and remove nothing")
	return c
}

// limit is a flag for a time, or never.
type limit struct {
	time  time.Duration
	never bool
}

// String implements pflag.Value.
func (l *limit) String() string {
	if l.never {
		return "never"
	}
	return strconv.Itoa(int(l.time/(24*time.Hour))) + "d"
}

// Set implements pflag.Value.
func (l *limit) Set(text string) error {
	if l.never = text == "never"; l.never {
		return nil
	}
	d, err := schema.ParseDuration(text)
	if err == nil && d < 0 {
		err = errors.New("a time cannot be negative; say never to remove nothing")
	}
	l.time = d
	return err
}

// Type implements pflag.Value.
func (l *limit) Type() string { return "duration" }

// option returns the limit as llmcache.EvictOptions have it: there 0 stands for
// the default, and less for never.
func (l *limit) option() time.Duration {
	if l.never {
		return -1
	}
	return max(l.time, 1)
}

// fromEnvironment takes the limit from the environment, if it is set there.
func (l *limit) fromEnvironment() error {
	text := os.Getenv(evictDays)
	if text == "" {
		return nil
	}
	const most = 100_000 // days fit in a duration
	days, err := strconv.Atoi(text)
	if err != nil || days < 0 || days > most {
		return fmt.Errorf("%w: %s=%q: want a number of days, 0 to %d", engine.ErrConfig, evictDays, text, most)
	}
	l.time = time.Duration(days) * 24 * time.Hour
	return nil
}

func (a *app) printEvicted(e llmcache.Evicted, dry, asJSON bool) error {
	if asJSON {
		return a.println(evictedValue(e, dry).Indent())
	}
	verb := "deleted"
	if dry {
		verb = "would delete"
	}
	return a.println(fmt.Sprintf("%s %s, %d B (%d never hit, %d idle, %d over the size); %s, %d B left",
		verb, entries(e.Entries), e.Bytes, e.Unhit, e.Idle, e.Oversize, entries(e.LeftEntries), e.LeftBytes))
}

func evictedValue(e llmcache.Evicted, dry bool) value.Value {
	keys := make([]value.Value, len(e.Keys))
	for i, k := range e.Keys {
		keys[i] = value.String(k)
	}
	return value.Object(
		value.M("dry_run", value.Bool(dry)),
		value.M("deleted_count", value.Int(e.Entries)), value.M("deleted_bytes", value.Int(e.Bytes)),
		value.M("unhit", value.Int(e.Unhit)), value.M("idle", value.Int(e.Idle)), value.M("oversize", value.Int(e.Oversize)),
		value.M("deleted_keys", value.List(keys...)), value.M("truncated", value.Bool(e.Truncated)),
		value.M("left_entries", value.Int(e.LeftEntries)), value.M("left_bytes", value.Int(e.LeftBytes)),
	)
}
