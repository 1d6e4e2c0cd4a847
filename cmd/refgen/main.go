// Command refgen writes what is generated from the declarations: the action
// and filter parts of YAML_REFERENCE.md. With -check it writes nothing, and
// fails when the file is not current. Run it from the module's root.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/builtin"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/reference"
)

const file = "YAML_REFERENCE.md"

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
	set, err := filters.NewSet()
	if err != nil {
		return err
	}
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := old
	for part, content := range map[string]string{
		"actions": reference.Markdown(registry.All()),
		"filters": reference.Filters(set.Filters()),
	} {
		if text, err = replace(text, part, content); err != nil {
			return err
		}
	}
	switch {
	case bytes.Equal(text, old):
		return nil
	case check:
		return fmt.Errorf("%s is not current; run: go run ./cmd/refgen", file)
	default:
		return os.WriteFile(file, text, 0o644) //nolint:gosec // a document for everyone
	}
}

// replace puts content between the markers of a part.
func replace(text []byte, part, content string) ([]byte, error) {
	open, end := fmt.Appendf(nil, "<!-- generated: %s -->\n", part), fmt.Appendf(nil, "<!-- end: %s -->", part)
	before, rest, ok := bytes.Cut(text, open)
	_, after, ok2 := bytes.Cut(rest, end)
	if !ok || !ok2 {
		return nil, fmt.Errorf("%s has no markers for %s", file, part)
	}
	return bytes.Join([][]byte{before, open, []byte("\n"), []byte(content), end, after}, nil), nil
}
