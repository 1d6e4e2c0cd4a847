package cli

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/cassette"
)

func (a *app) cassetteCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "cassette",
		Short: "Look at recorded calls, and tidy them up",
		Long: `Look at recorded calls, and tidy them up. A cassette is a file that ends in
.yaml, .yml or .json, or a directory with responses/ in it.`,
	}, a.cassetteShow(), a.cassetteDiff(), a.cassettePrune(), a.cassetteScan(), a.cassetteFind())
}

// cassetteError gives faults of cassettes the exit status of configuration.
func cassetteError(err error) error {
	if cassette.IsConfig(err) {
		return fmt.Errorf("%w: %w", engine.ErrConfig, err)
	}
	return err
}

func (a *app) cassetteShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE [HASH]",
		Short: "List the calls of a cassette, or show one in full",
		Long:  "List the calls of a cassette, or show those in full whose hash begins with HASH.",
		Args:  takes(2, "FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := cassette.Read(args[0])
			if err != nil {
				return cassetteError(err)
			}
			if len(args) == 2 {
				return a.showCall(c, args[1])
			}
			return a.listCalls(c)
		},
	}
}

func (a *app) listCalls(c *cassette.Cassette) error {
	if c.Summary != "" {
		if err := a.println(c.Summary + "\n"); err != nil {
			return err
		}
	}
	w := tabwriter.NewWriter(a.streams.out, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(w, "HASH\tPROVIDER\tMODEL\tENDPOINT\tNODE\tRESULT\tDURATION\tPROMPT"); err != nil {
		return err
	}
	for call, err := range c.Calls() {
		if err != nil {
			return cassetteError(err)
		}
		if _, err := fmt.Fprintln(w, callRow(call)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// callRow is a call as a line of a table.
func callRow(c *cassette.Call) string {
	cells := []string{
		cassette.ShortHash(c.Hash), c.Provider, c.Model, c.Endpoint, c.Node, outcome(c), c.Duration.String(),
		firstLine(c.Prompt, 60),
	}
	for i, cell := range cells {
		cells[i] = orDash(cell)
	}
	return strings.Join(cells, "\t")
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// outcome says in a word or two what came of a call.
func outcome(c *cassette.Call) string {
	var words []string
	switch {
	case c.Failure != nil:
		words = append(words, "error "+c.Failure.Code)
	case c.Status != 0:
		words = append(words, fmt.Sprint(c.Status))
	case len(c.ToolUses) > 0:
		words = append(words, "tool use")
	default:
		words = append(words, "ok")
	}
	if len(c.Chunks) > 0 {
		words = append(words, "stream")
	}
	if !c.Complete {
		words = append(words, "cut off")
	}
	return strings.Join(words, ", ")
}

// firstLine cuts text to its first line and to that many characters.
func firstLine(s string, most int) string {
	line, _, more := strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(line); len(r) > most {
		line, more = string(r[:most]), true
	}
	if more {
		line += "…"
	}
	return strings.ReplaceAll(line, "\t", " ")
}

func (a *app) showCall(c *cassette.Cassette, hash string) error {
	found := 0
	for call, err := range c.Calls() {
		if err != nil {
			return cassetteError(err)
		}
		if !strings.HasPrefix(call.Hash, hash) {
			continue
		}
		if found > 0 {
			if err := a.println("---"); err != nil {
				return err
			}
		}
		found++
		if err := a.println(strings.TrimSuffix(call.YAML(), "\n")); err != nil {
			return err
		}
	}
	if found == 0 {
		return fmt.Errorf("%s has no call whose hash begins with %s", c.Path, hash)
	}
	return nil
}

func (a *app) cassetteDiff() *cobra.Command {
	return &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Show which calls were added, removed and changed",
		Long: `Show which calls were added, removed and changed between two cassettes. When
they were made and how long they took does not count. Exit status 1 if they
differ.`,
		Args: exactly("OLD", "NEW"),
		RunE: func(_ *cobra.Command, args []string) error { return a.diffCassettes(args[0], args[1]) },
	}
}

func (a *app) diffCassettes(before, after string) error {
	old, err := cassette.Read(before)
	added, err2 := cassette.Read(after)
	if err := errors.Join(err, err2); err != nil {
		return cassetteError(err)
	}
	changes, err := cassette.Compare(old, added)
	if err != nil {
		return cassetteError(err)
	}
	counts := map[string]int{}
	for _, c := range changes {
		kind, text := describe(c)
		counts[kind]++
		if err := a.println(text); err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return fmt.Errorf("the cassettes differ: %d added, %d removed, %d changed", counts["added"], counts["removed"], counts["changed"])
}

// describe says what a change is, and shows it.
func describe(c cassette.Change) (kind, text string) {
	switch {
	case c.Old == nil:
		return "added", "added " + callLine(c.New)
	case c.New == nil:
		return "removed", "removed " + callLine(c.Old)
	default:
		return "changed", "changed " + callLine(c.New) + "\n--- " + cassette.ShortHash(c.Old.Hash) + "\n+++ " + cassette.ShortHash(c.New.Hash) + "\n" + c.Diff
	}
}

// callLine names a call in one line.
func callLine(c *cassette.Call) string {
	words := []string{cassette.ShortHash(c.Hash)}
	for _, w := range []string{c.Provider, c.Model, c.Endpoint, firstLine(c.Prompt, 60)} {
		if w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, "  ")
}
