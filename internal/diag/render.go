package diag

import (
	"fmt"
	"io"
	"strings"
)

// around is how many lines are shown before the one with the problem.
const around = 2

// Render writes every diagnostic with the lines around it and a caret under
// the place:
//
//	agent.yaml:7:12: error: unknown action "cache.warp"
//	  5 |   - name: a
//	  6 |     uses:
//	  7 |       cache.warp
//	    |       ^
//	  hint: did you mean "cache.wrap"?
//
// source returns a file's text, or "" when it cannot be had.
func Render(w io.Writer, l List, source func(file string) string) error {
	for i, d := range l {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := d.render(w, source); err != nil {
			return err
		}
	}
	return nil
}

func (d Diagnostic) render(w io.Writer, source func(file string) string) error {
	var b strings.Builder
	if where := d.Pos.String(); where != "" {
		b.WriteString(where + ": ")
	}
	fmt.Fprintf(&b, "%s: %s\n", d.Severity, d.Message)
	if source != nil && d.Line > 0 {
		d.snippet(&b, source(d.File))
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "  hint: %s\n", d.Hint)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// snippet writes the lines before and at the diagnostic, and the caret.
func (d Diagnostic) snippet(b *strings.Builder, text string) {
	lines := strings.Split(text, "\n")
	if text == "" || d.Line > len(lines) {
		return
	}
	gutter := len(fmt.Sprint(d.Line))
	for n := max(1, d.Line-around); n <= d.Line; n++ {
		line := strings.TrimRight(lines[n-1], "\r")
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %*d | %s", gutter, n, line), " ") + "\n")
	}
	if d.Col < 1 {
		return
	}
	fmt.Fprintf(b, "  %*s | %s%s\n", gutter, "", indent(lines[d.Line-1], d.Col), strings.Repeat("^", max(1, d.Width)))
}

// indent returns blanks as wide as the first col-1 characters of line; tabs
// stay tabs, so that the caret stands below its character.
func indent(line string, col int) string {
	var b strings.Builder
	for i, r := range []rune(line) {
		if i == col-1 {
			return b.String()
		}
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}
