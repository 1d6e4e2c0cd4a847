package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// pageFlags say which entries are listed.
type pageFlags struct {
	ltmFlags
	where  []string
	limit  int
	cursor string
	all    bool
	order  string
	desc   bool
}

const (
	defaultPage = 100
	maxPage     = 1000
)

// addTo adds the flags that ls and search share.
func (f *pageFlags) addTo(c *cobra.Command) *cobra.Command {
	flags := c.Flags()
	flags.StringArrayVarP(&f.where, "where", "w", nil, "only where metadata fulfil a `CONDITION`; may be repeated")
	flags.IntVar(&f.limit, "limit", defaultPage, "show at most so `MANY` entries, up to 1000")
	flags.StringVar(&f.cursor, "cursor", "", "go on where the page before ended: the `CURSOR` that it told")
	flags.BoolVarP(&f.all, "all-namespaces", "A", false, "look in all namespaces")
	return f.ltmFlags.addTo(c)
}

// query returns the query that the flags ask for.
func (f *pageFlags) query(c *cobra.Command) (q ltm.Query, err error) {
	if f.limit < 1 || f.limit > maxPage {
		return q, usageError{fmt.Errorf("--limit %d: want 1 to %d", f.limit, maxPage)}
	}
	if err := exclusive(c, []string{"namespace", "all-namespaces"}); err != nil {
		return q, err
	}
	q = ltm.Query{Limit: f.limit, Cursor: f.cursor, AllNamespaces: f.all, Desc: f.desc}
	for _, text := range f.where {
		filter, err := readCondition(text)
		if err != nil {
			return q, usageError{fmt.Errorf("--where %s: %w", shorten(text), err)}
		}
		q.Metadata = append(q.Metadata, filter)
	}
	q.Order, err = readOrder(f.order)
	return q, err
}

func readOrder(name string) (driver.Order, error) {
	orders := map[string]driver.Order{
		"": driver.ByKey, "key": driver.ByKey, "created": driver.ByCreated,
		"updated": driver.ByUpdated, "accessed": driver.ByAccessed, "expiry": driver.ByExpiry,
	}
	if order, ok := orders[name]; ok {
		return order, nil
	}
	return 0, usageError{fmt.Errorf("--order %s: %s", name, diag.DidYouMean(name, []string{"key", "created", "updated", "accessed", "expiry"}))}
}

// readCondition reads a condition on metadata:
//
//	kind=person      equal; a JSON list is a choice, a dot in the name goes into an object
//	age>=18          also <, <=, >: of two numbers or two texts
//	kind             it is there
func readCondition(text string) (ltm.Filter, error) {
	at := strings.IndexAny(text, "<>=")
	if at < 0 {
		at = len(text)
	}
	path := strings.Split(text[:at], ".")
	for _, name := range path {
		if name == "" {
			return ltm.Filter{}, errors.New("want NAME, NAME=VALUE or NAME<VALUE; a dot goes into an object")
		}
	}
	rest := text[at:]
	switch {
	case strings.HasSuffix(text[:at], "!"):
		return ltm.Filter{}, errors.New("there is no search for what is not equal")
	case len(rest) > 1 && rest[0] == '=' && strings.ContainsAny(rest[1:2], "=<>"): // a slip for =, <= or >=
		return ltm.Filter{}, fmt.Errorf("want =, <, <=, > or >=; a text that begins so is written %s=%s", text[:at], value.String(rest[1:]))
	case rest == "":
		return ltm.Filter{Path: path, Op: ltm.Exists}, nil
	}
	for _, op := range []ltm.Op{ltm.Le, ltm.Ge, ltm.Eq, ltm.Lt, ltm.Gt} { // the longer ones first
		if literal, ok := strings.CutPrefix(rest, op.String()); ok {
			return compared(path, op, literal)
		}
	}
	return ltm.Filter{}, errors.New("want =, <, <=, > or >=")
}

// compared is a condition with what stands behind its sign.
func compared(path []string, op ltm.Op, literal string) (ltm.Filter, error) {
	f := ltm.Filter{Path: path, Op: op, Value: scalar(literal)}
	switch f.Value.Kind() {
	case value.KindList:
		if op == ltm.Eq {
			f.Op = ltm.In
			return f, nil
		}
	case value.KindInt, value.KindFloat:
		return f, nil
	case value.KindString:
		if literal != "" {
			return f, nil
		}
	}
	if op != ltm.Eq {
		return f, fmt.Errorf("%s wants a number or a text behind it", op)
	}
	return f, nil
}

func (a *app) ltmLs() *cobra.Command {
	var f pageFlags
	c := f.addTo(&cobra.Command{
		Use:   "ls [PATTERN]",
		Short: "List entries: key, size, age, time left",
		Long: `List entries: key, size, age, time left. In PATTERN * stands for any characters.
Keys of more than 200 characters are cut off; --json has all of them.`,
		Example: `  tea ltm ls 'user:*'
  tea ltm ls --where kind=person --order updated --desc --limit 10
  tea ltm ls --all-namespaces --json`,
		Args: takes(1),
		RunE: func(c *cobra.Command, args []string) error {
			q, err := f.query(c)
			if err != nil {
				return err
			}
			q.KeysOnly = true
			q.Glob = strings.Join(args, "")
			return a.withUser(c.Context(), f.namespace, func(m *ltm.Memory) error { return a.listRemembered(c.Context(), m, q, f.json) })
		},
	})
	c.Flags().StringVar(&f.order, "order", "key", "sort by `ORDER`: key, created, updated, accessed or expiry")
	c.Flags().BoolVar(&f.desc, "desc", false, "sort the other way round")
	return c
}

func (a *app) ltmSearch() *cobra.Command {
	var f pageFlags
	return f.addTo(&cobra.Command{
		Use:   "search [QUERY]",
		Short: "Find entries by words and metadata, the best first",
		Long: `Find entries by words and metadata, the best first. All words of QUERY must stand
in key, value or metadata, in any case. A condition on metadata is one of

  kind=person        equal; JSON where it reads as such, else text
  'kind=["a","b"]'   one of these
  by.age>=18         also <, <=, >; a dot goes into an object
  kind               it is there, whatever it is`,
		Example: `  tea ltm search 'likes tea' --where kind=note
  tea ltm search --where 'by.age>=18' --where 'by.age<65' --json`,
		Args: takes(1),
		RunE: func(c *cobra.Command, args []string) error {
			q, err := f.query(c)
			if err != nil {
				return err
			}
			if q.Text = strings.Join(args, ""); q.Text == "" && len(q.Metadata) == 0 {
				return usageError{errors.New("say what to look for: words, or --where CONDITION")}
			}
			return a.withUser(c.Context(), f.namespace, func(m *ltm.Memory) error { return a.listRemembered(c.Context(), m, q, f.json) })
		},
	})
}

// listRemembered shows a page of what q selects.
func (a *app) listRemembered(ctx context.Context, m *ltm.Memory, q ltm.Query, asJSON bool) error {
	page, err := m.Search(ctx, q)
	switch {
	case err != nil:
		return err
	case asJSON:
		return a.println(pageValue(page, q).Indent())
	}
	w := tabwriter.NewWriter(a.streams.out, 0, 0, 2, ' ', 0)
	now := a.now()
	for i := range page.Entries {
		_, _ = fmt.Fprintln(w, strings.Join(rememberedRow(&page.Entries[i], q, now), "\t")) // Flush tells
	}
	if err := w.Flush(); err != nil || page.Next == "" {
		return err
	}
	a.streams.say("there are more: --cursor %s", page.Next)
	return nil
}

// rememberedRow are the cells of an entry: with a search its score and what it
// holds, else its size and times.
func rememberedRow(e *ltm.Entry, q ltm.Query, now time.Time) []string {
	cells := []string{keyCell(e.Key)}
	if q.AllNamespaces {
		cells = []string{keyCell(e.Namespace), keyCell(e.Key)}
	}
	if q.KeysOnly {
		lasts := "never expires"
		if !e.ExpiresAt.IsZero() {
			lasts = age(e.ExpiresAt.Sub(now)) + " left"
		}
		return append(cells, fmt.Sprintf("%d B", e.Size), age(now.Sub(e.CreatedAt)), lasts)
	}
	if q.Text != "" {
		cells = append([]string{fmt.Sprintf("%.3g", e.Score)}, cells...)
	}
	return append(cells, shorten(cell(plain(e.Value))), shorten(e.Metadata.String()))
}

// keyCell is a key in a table, which is none any more when one key has 10 kB;
// --json has it in full.
func keyCell(key string) string { return cut(cell(key), 200) }

// cell is text that fits into a line of a table.
func cell(text string) string {
	if strings.ContainsFunc(text, unicode.IsControl) || text == "" {
		return value.String(text).String()
	}
	return text
}

func pageValue(page ltm.Page, q ltm.Query) value.Value {
	items := make([]value.Value, len(page.Entries))
	for i := range page.Entries {
		e := &page.Entries[i]
		if q.KeysOnly {
			items[i] = rememberedHead(e)
			continue
		}
		items[i] = rememberedValue(e).With("score", value.Float(e.Score))
	}
	next := value.Null()
	if page.Next != "" {
		next = value.String(page.Next)
	}
	return value.Object(value.M("entries", value.List(items...)), value.M("next", next))
}
