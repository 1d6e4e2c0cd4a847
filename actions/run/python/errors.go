package python

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/actions/run/python/syntax"
)

// Error is a problem in the code, found by Compile or met by Run.
type Error struct {
	Line, Col int    // in the coordinates of Options; 0 when unknown
	Msg       string // such as "KeyError: 'x'"
	Hint      string // advice, or ""
	Traceback string // of nested calls, as Python prints it; "" at the top level
	Limit     bool   // a limit or the end of the context stopped the code
	cause     error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg)
}

// Unwrap returns the error of the host (an action, a secret, the context) that
// ended the code, if one did.
func (e *Error) Unwrap() error { return e.cause }

// Errors is all that is wrong with some code, in the order of the source.
type Errors []*Error

// Error implements error: a line for each problem.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// place moves a position in the code into the coordinates of the options.
func (o Options) place(p syntax.Pos) (line, col int) {
	if p.Line == 0 {
		return 0, 0
	}
	return p.Line + max(o.Line, 1) - 1, p.Col + max(o.Col, 1) - 1
}

func (o Options) compileErrors(found []*syntax.Error) Errors {
	out := make(Errors, len(found))
	for i, e := range found {
		line, col := o.place(e.Pos)
		out[i] = &Error{Line: line, Col: col, Msg: e.Msg, Hint: e.Hint}
	}
	return out
}

func (o Options) runError(err error) *Error {
	var e *object.Exception
	if !errors.As(err, &e) {
		return &Error{Msg: err.Error(), cause: err}
	}
	line, col := o.place(e.Pos)
	return &Error{
		Line: line, Col: col, Msg: e.Error(), Hint: e.Hint, Limit: e.Fatal,
		Traceback: o.traceback(e), cause: e.Cause,
	}
}

func (o Options) traceback(e *object.Exception) string {
	if len(e.Trace) < 2 {
		return ""
	}
	name := o.Name
	if name == "" {
		name = "<run>"
	}
	var b strings.Builder
	b.WriteString("Traceback (most recent call last):\n")
	for i := len(e.Trace) - 1; i >= 0; i-- {
		line, _ := o.place(e.Trace[i].Pos)
		fmt.Fprintf(&b, "  File %q, line %d, in %s\n", name, line, e.Trace[i].Func)
	}
	b.WriteString(e.Error())
	return b.String()
}
