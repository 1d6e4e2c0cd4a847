package cassette

import (
	"fmt"
	"strings"
	"time"

	"github.com/tea-agents/tea/engine/cassette/internal/tree"
	"github.com/tea-agents/tea/value"
)

// Format is the version of the format that this package writes. It reads all
// up to this one.
const Format = 1

// Header is what stands at the top of a cassette.
type Header struct {
	Format               int
	CreatedAt, UpdatedAt time.Time
	ToolVersion          string
	// Suite and Test are the test that recorded, or "".
	Suite, Test string
	// Normalize is what is done to requests before they are hashed.
	Normalize []string
	// Summary counts the calls, for a person to read.
	Summary string
}

// fields returns the header in the order in which it is written.
func (h Header) fields() []tree.Field {
	b := fields{}
	b.add("format", value.Int(int64(h.Format)))
	b.text("created_at", stamp(h.CreatedAt))
	b.text("updated_at", stamp(h.UpdatedAt))
	b.text("tool_version", h.ToolVersion)
	b.text("test_suite", h.Suite)
	b.text("test_name", h.Test)
	if len(h.Normalize) > 0 {
		b.add("normalize", stringList(h.Normalize))
	}
	b.text("summary", h.Summary)
	return b.all
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func stringList(list []string) value.Value {
	items := make([]value.Value, len(list))
	for i, s := range list {
		items[i] = value.String(s)
	}
	return value.List(items...)
}

// readHeader takes the header out of r.
func readHeader(r *reader) Header {
	h := Header{
		Format:      int(r.int("format")),
		CreatedAt:   r.time("created_at"),
		UpdatedAt:   r.time("updated_at"),
		ToolVersion: r.text("tool_version"),
		Suite:       r.text("test_suite"),
		Test:        r.text("test_name"),
		Summary:     r.text("summary"),
	}
	for _, item := range r.list("normalize") {
		h.Normalize = append(h.Normalize, item.Text())
	}
	return h
}

// summary counts calls in words: those of models, by what they returned, and
// the others.
func summary(calls []*Call) string {
	var models, tools, texts int
	for _, c := range calls {
		if c.Provider == "" {
			continue
		}
		models++
		switch {
		case len(c.ToolUses) > 0:
			tools++
		case c.Text != "":
			texts++
		}
	}
	lines := []string{fmt.Sprintf("%s made.", plural(models, "LLM call"))}
	if tools > 0 {
		lines = append(lines, plural(tools, "call")+" returned tool use responses.")
	}
	if texts > 0 {
		lines = append(lines, plural(texts, "call")+" returned a message response.")
	}
	if others := len(calls) - models; others > 0 {
		lines = append(lines, plural(others, "other call")+" made.")
	}
	return strings.Join(lines, "\n")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
