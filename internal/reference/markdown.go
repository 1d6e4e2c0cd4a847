package reference

import (
	"fmt"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/filters"
)

// Markdown describes actions, sorted as they are given, a section each.
func Markdown(all []actions.Action) string {
	var b strings.Builder
	for _, a := range all {
		action(&b, a)
	}
	return b.String()
}

func action(b *strings.Builder, a actions.Action) {
	s := a.Spec()
	fmt.Fprintf(b, "### %s\n\n%s Also `%s`. Effect: %s.\n\n", s.Name, s.Summary, secondName(s.Name), s.Effect)
	if s.Doc != "" {
		fmt.Fprintf(b, "%s\n\n", strings.TrimSpace(s.Doc))
	}
	table(b, "Parameter", rows(a.Input(), ""))
	table(b, "Result", results(a))
	for _, e := range s.Examples {
		fmt.Fprintf(b, "%s:\n\n```yaml\n%s\n```\n\n", e.Title, strings.TrimRight(e.YAML, "\n"))
		if e.Output != "" {
			fmt.Fprintf(b, "```json\n%s\n```\n\n", strings.TrimRight(e.Output, "\n"))
		}
	}
}

func table(b *strings.Builder, title string, all []row) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "| %s | type | |\n|---|---|---|\n", title)
	for _, r := range all {
		doc := r.doc
		if r.note != "" {
			doc += " *" + r.note + "*"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", r.name, cell(r.typ), cell(doc))
	}
	b.WriteString("\n")
}

// Filters describes template filters as one table.
func Filters(all []filters.Filter) string {
	var b strings.Builder
	b.WriteString("| Filter | | Example |\n|---|---|---|\n")
	for _, f := range all {
		fmt.Fprintf(&b, "| `%s%s` | %s | %s |\n", f.Name, f.Params, cell(f.Doc), code(f.Example))
	}
	return b.String()
}

// cell makes text safe for a cell of a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

// code puts text into backquotes, unless there is none.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + cell(text) + "`"
}
