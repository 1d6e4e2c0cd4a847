// Command refgen writes what is generated from the declarations: the action
// and filter parts of YAML_REFERENCE.md, and the JSON Schemas of agents (for
// editors) and of events. With -check it writes nothing, and fails when a file is
// not current. Run it from the module's root.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/builtin"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/filters"
	refdoc "github.com/tea-agents/tea/internal/reference"
)

const reference = "YAML_REFERENCE.md"

func main() {
	check := flag.Bool("check", false, "fail when the file is not current")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "refgen:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	registry, err := actions.NewRegistry(builtin.Actions()...)
	if err != nil {
		return err
	}
	page, err := referencePage(registry)
	if err != nil {
		return err
	}
	events, err := event.JSONSchema()
	if err != nil {
		return err
	}
	for file, text := range map[string]string{
		reference:                 page,
		"docs/agent.schema.json":  spec.JSONSchema(registry).Indent() + "\n",
		"docs/events.schema.json": events.Indent() + "\n",
	} {
		if err := write(file, text, check); err != nil {
			return err
		}
	}
	return nil
}

// referencePage returns the reference with its generated parts renewed.
func referencePage(registry *actions.Registry) (string, error) {
	set, err := filters.NewSet()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(reference)
	if err != nil {
		return "", err
	}
	page, err := replace(string(text), "actions", refdoc.Markdown(registry.All()))
	if err != nil {
		return "", err
	}
	return replace(page, "filters", refdoc.Filters(set.Filters()))
}

// write brings a file up to date, or with check fails when it is not.
func write(file, text string, check bool) error {
	old, err := os.ReadFile(file)
	switch {
	case err == nil && string(old) == text:
		return nil
	case check:
		return fmt.Errorf("%s is not current; run: go run ./cmd/refgen", file)
	default:
		return os.WriteFile(file, []byte(text), 0o644) //nolint:gosec // a document for everyone
	}
}

// replace puts content between the markers of a part.
func replace(text, part, content string) (string, error) {
	open, end := "<!-- generated: "+part+" -->\n", "<!-- end: "+part+" -->"
	before, rest, ok := strings.Cut(text, open)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("%s has no markers for %s", reference, part)
	}
	return before + open + "\n" + content + end + after, nil
}
