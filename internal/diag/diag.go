package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pos is a place in a file. Lines and columns count from 1; columns count
// characters (code points). A zero Line means the file as a whole.
type Pos struct {
	File      string
	Line, Col int
}

// String returns "file:line:col", as far as it is known.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
	}
}

// Severity tells errors, which stop the work, from warnings, which do not.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one problem.
type Diagnostic struct {
	Pos
	Code     string // stable and short, such as "unknown_key"; for machines
	Severity Severity
	Message  string // what is wrong, in one sentence without a final point
	Hint     string // what would mend it, or ""
	Width    int    // how many characters the caret line underlines; 0 counts as 1
}

// String returns the one-line form "file:line:col: error: message".
func (d Diagnostic) String() string {
	s := d.Message
	if d.Severity == Warning {
		s = "warning: " + s
	}
	if d.File != "" || d.Line != 0 {
		s = d.Pos.String() + ": " + s
	}
	if d.Hint != "" {
		s += " (" + d.Hint + ")"
	}
	return s
}

// List is a number of diagnostics. As an error it shows them all.
type List []Diagnostic

// Add appends an error at pos.
func (l *List) Add(pos Pos, code, format string, args ...any) *Diagnostic {
	*l = append(*l, Diagnostic{Pos: pos, Code: code, Message: fmt.Sprintf(format, args...)})
	return &(*l)[len(*l)-1]
}

// Warn appends a warning at pos.
func (l *List) Warn(pos Pos, code, format string, args ...any) *Diagnostic {
	d := l.Add(pos, code, format, args...)
	d.Severity = Warning
	return d
}

// Error returns all diagnostics, a line each.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, d := range l {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// HasErrors tells whether any diagnostic is more than a warning.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Err returns l as an error when it has errors in it, else nil.
func (l List) Err() error {
	if l.HasErrors() {
		return l
	}
	return nil
}

// Sort puts the diagnostics in the order of files and lines.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
}
