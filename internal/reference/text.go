package reference

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/tea-agents/tea/actions"
)

// Text describes an action for a terminal.
func Text(a actions.Action) string {
	s := a.Spec()
	var b strings.Builder
	fmt.Fprintf(&b, "%s (also %s)\n%s\n", s.Name, secondName(s.Name), s.Summary)
	if s.Doc != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(s.Doc))
	}
	fmt.Fprintf(&b, "\nEffect: %s. Version %d.\n", s.Effect, s.Version)
	writeText(&b, "Parameters (with:)", rows(a.Input(), ""))
	writeText(&b, "Result", results(a))
	for _, e := range s.Examples {
		fmt.Fprintf(&b, "\nExample: %s\n%s", e.Title, indent(e.YAML))
		if e.Output != "" {
			fmt.Fprintf(&b, "  gives\n%s", indent(e.Output))
		}
	}
	return b.String()
}

func writeText(b *strings.Builder, title string, all []row) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, r := range all {
		doc := r.doc
		if r.note != "" {
			doc += " [" + r.note + "]"
		}
		_, _ = fmt.Fprintf(w, "  %s\t%s\t%s\n", r.name, r.typ, doc)
	}
	_ = w.Flush()
}

// indent puts four blanks before every line.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}
