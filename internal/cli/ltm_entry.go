package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/value"
)

func (a *app) ltmGet() *cobra.Command {
	var f ltmFlags
	return f.addTo(&cobra.Command{
		Use:   "get KEY",
		Short: "Print what is remembered under a key",
		Long: `Print what is remembered under a key: text as it stands, everything else as JSON.
With --json also its metadata and times. What has expired is not remembered.`,
		Example: `  tea ltm get user:1
  tea ltm get user:1 --json --namespace team`,
		Args: exactly("KEY"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withUser(c.Context(), f.namespace, func(m *ltm.Memory) error {
				e, err := m.Get(c.Context(), args[0])
				switch {
				case errors.Is(err, ltm.ErrNotFound), err == nil && e.Expired(m.Now()):
					return noValue(args[0])
				case err != nil:
					return err
				case f.json:
					return a.println(rememberedValue(&e).Indent())
				}
				text, isText := e.Value.AsString()
				if !isText {
					text = e.Value.Indent()
				}
				return a.println(text)
			})
		},
	})
}

// rememberedValue is an entry as JSON output shows it.
func rememberedValue(e *ltm.Entry) value.Value {
	return value.Object(value.M("value", e.Value), value.M("metadata", e.Metadata)).Merge(rememberedHead(e))
}

// rememberedHead is an entry without what is in it.
func rememberedHead(e *ltm.Entry) value.Value {
	at := func(t time.Time) value.Value {
		if t.IsZero() {
			return value.Null()
		}
		return value.String(llmcache.FormatTime(t))
	}
	return value.Object(
		value.M("namespace", value.String(e.Namespace)), value.M("key", value.String(e.Key)),
		value.M("created_at", at(e.CreatedAt)), value.M("updated_at", at(e.UpdatedAt)),
		value.M("expires_at", at(e.ExpiresAt)), value.M("bytes", value.Int(e.Size)), value.M("revision", value.Int(e.Revision)),
	)
}

// putFlags are the flags of tea ltm put.
type putFlags struct {
	ltmFlags
	ttl      string
	metadata []string
	ifAbsent bool
	text     bool
}

func (a *app) ltmPut() *cobra.Command {
	var f putFlags
	c := f.addTo(&cobra.Command{
		Use:   "put KEY VALUE|@file|-",
		Short: "Remember a value under a key, over what was there",
		Long: `Remember a value under a key, over what was there. The value is JSON where it
reads as such, else text; @file is the content of a file, - that of standard
input.`,
		Example: `  tea ltm put greeting hello
  tea ltm put user:1 '{"name": "Ada"}' --metadata kind=person --metadata age=36 --ttl 30d
  tea ltm put notes @notes.txt --text --if-absent
  date | tea ltm put last-run -`,
		Args: exactly("KEY", "VALUE"),
		RunE: func(c *cobra.Command, args []string) error {
			v, o, err := f.read(c.Context(), a, args[1])
			if err != nil {
				return usageError{err}
			}
			return a.withUser(c.Context(), f.namespace, func(m *ltm.Memory) error { return a.remember(c.Context(), m, args[0], v, o, f.json) })
		},
	})
	c.Flags().StringVar(&f.ttl, "ttl", "", "how long to remember it: a `DURATION` such as 90m or 30d (for ever)")
	c.Flags().StringArrayVarP(&f.metadata, "metadata", "m", nil, "what to find it by: `KEY=VALUE`, JSON or else text; may be repeated")
	c.Flags().BoolVar(&f.ifAbsent, "if-absent", false, "keep a value that is there, and exit with 1")
	c.Flags().BoolVar(&f.text, "text", false, "the value is text, whatever it looks like")
	return c
}

// read reads the value and the options.
func (f *putFlags) read(ctx context.Context, a *app, arg string) (v value.Value, o *ltm.PutOptions, err error) {
	o = &ltm.PutOptions{IfAbsent: f.ifAbsent}
	if f.ttl != "" {
		if o.TTL, err = schema.ParseDuration(f.ttl); err == nil && o.TTL <= 0 {
			err = errors.New("it must be above 0")
		}
		if err != nil {
			return v, nil, fmt.Errorf("--ttl %s: %w", f.ttl, err)
		}
	}
	members := map[string]value.Value{}
	for _, m := range f.metadata {
		key, text, ok := strings.Cut(m, "=")
		if !ok || key == "" {
			return v, nil, fmt.Errorf("--metadata %s: want KEY=VALUE", shorten(m))
		}
		members[key] = scalar(text)
	}
	o.Metadata = value.Map(members)
	var in io.Reader
	if arg == standard { // else it is another command's
		typed := a.streams.input(ctx)
		defer typed.Close() //nolint:errcheck // only read
		in = typed
	}
	data, ok, err := readData(arg, in, os.ReadFile)
	if !ok {
		data = []byte(arg)
	}
	if v = value.String(string(data)); !f.text {
		v = scalar(string(data))
	}
	return v, o, err
}

func (a *app) remember(ctx context.Context, m *ltm.Memory, key string, v value.Value, o *ltm.PutOptions, asJSON bool) error {
	created, err := m.Put(ctx, key, v, o)
	if err != nil {
		return err
	}
	stored := created || !o.IfAbsent
	switch {
	case asJSON:
		err = a.println(value.Object(value.M("key", value.String(key)), value.M("stored", value.Bool(stored)),
			value.M("created", value.Bool(created))).Indent())
	case created:
		err = a.println("stored " + keyCell(key))
	case stored:
		err = a.println("replaced " + keyCell(key))
	}
	if err == nil && !stored {
		err = fmt.Errorf("something is remembered under %q already; leave out --if-absent to replace it", key)
	}
	return err
}

func (a *app) ltmRm() *cobra.Command {
	var f ltmFlags
	var pattern string
	var yes bool
	c := f.addTo(&cobra.Command{
		Use:   "rm KEY...|--pattern PATTERN --yes",
		Short: "Forget entries, by key or by pattern",
		Example: `  tea ltm rm user:1 user:2
  tea ltm rm --pattern 'user:*' --yes`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			byPattern := c.Flags().Changed("pattern")
			if byPattern == (len(args) > 0) || byPattern && pattern == "" {
				return usageError{errors.New("say which entries: either keys or --pattern PATTERN")}
			}
			return a.withUser(c.Context(), f.namespace, func(m *ltm.Memory) error {
				if byPattern {
					return a.forgetPattern(c.Context(), m, pattern, yes, f.json)
				}
				return a.forget(c.Context(), m, args, f.json)
			})
		},
	})
	c.Flags().StringVar(&pattern, "pattern", "", "forget what matches this `PATTERN`, in which * stands for any characters")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "forget what the pattern matches")
	return c
}

// forget deletes all keys that are there, and fails if any was not.
func (a *app) forget(ctx context.Context, m *ltm.Memory, keys []string, asJSON bool) error {
	var deleted int64
	var missing []error
	for _, key := range keys {
		gone, err := m.Delete(ctx, key)
		switch {
		case err != nil:
			return err
		case gone:
			deleted++
		default:
			missing = append(missing, noValue(key))
		}
	}
	return errors.Join(append([]error{a.sayDeleted(deleted, asJSON)}, missing...)...)
}

// forgetPattern deletes what matches, expired entries too.
func (a *app) forgetPattern(ctx context.Context, m *ltm.Memory, pattern string, yes, asJSON bool) error {
	q := ltm.Query{Glob: pattern, IncludeExpired: true, KeysOnly: true}
	if !yes {
		var n int64
		for _, err := range m.All(ctx, q) {
			if err != nil {
				return err
			}
			n++
		}
		return usageError{fmt.Errorf("this forgets %s: say --yes", entries(n))}
	}
	n, err := m.DeleteWhere(ctx, q, nil)
	if err != nil {
		return err
	}
	return a.sayDeleted(n, asJSON)
}

func (a *app) sayDeleted(n int64, asJSON bool) error {
	if asJSON {
		return a.println(value.Object(value.M("deleted", value.Int(n))).Indent())
	}
	return a.println("deleted " + entries(n))
}
