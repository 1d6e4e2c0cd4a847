package filters

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is one problem in a template or expression, found when it was
// compiled or when it was run.
type Error struct {
	Offset int    // of the place in the source, in bytes, from 0
	Line   int    // from 1
	Col    int    // from 1, in characters (runes)
	Msg    string // what is wrong, in one sentence without a final point
	Hint   string // what would mend it, or ""
	Err    error  // the cause, where there is one, such as the context's error
}

// Error returns "line:col: message (hint)".
func (e *Error) Error() string {
	if e.Hint == "" {
		return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg)
	}
	return fmt.Sprintf("%d:%d: %s (%s)", e.Line, e.Col, e.Msg, e.Hint)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errors is what Compile returns when a source has several problems, in the
// order of the source.
type Errors []*Error

// Error returns all problems, a line each.
func (l Errors) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the single problems.
func (l Errors) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

func (l Errors) err() error {
	switch len(l) {
	case 0:
		return nil
	case 1:
		return l[0]
	}
	return l
}

// fault is a problem at a byte offset whose line and column are not known yet.
type fault struct {
	off  int
	msg  string
	hint string
	err  error
}

func (f *fault) Error() string { return f.msg }
func (f *fault) Unwrap() error { return f.err }

// at makes err a fault at off, unless it is nil or has a place already.
func at(off int, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault](err); ok && f.off >= 0 {
		return err
	}
	f := &fault{off: off, msg: err.Error(), err: err}
	if h, ok := errors.AsType[*fault](err); ok {
		f.hint, f.err = h.hint, h.err
	}
	return f
}

// failf returns a fault that whoever knows the place puts there with at.
func failf(format string, args ...any) *fault {
	return &fault{off: -1, msg: fmt.Sprintf(format, args...)}
}

func failAt(off int, format string, args ...any) *fault {
	return &fault{off: off, msg: fmt.Sprintf(format, args...)}
}

func (f *fault) withHint(format string, args ...any) *fault {
	f.hint = fmt.Sprintf(format, args...)
	return f
}

// locate turns a fault into an Error with line and column in src.
func locate(src string, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	f, ok := errors.AsType[*fault](err)
	if !ok {
		f = &fault{msg: err.Error(), err: err}
	}
	off := min(max(f.off, 0), len(src))
	before := src[:off]
	start := strings.LastIndexByte(before, '\n') + 1
	return &Error{
		Offset: off,
		Line:   strings.Count(before, "\n") + 1,
		Col:    utf8.RuneCountInString(before[start:]) + 1,
		Msg:    f.msg,
		Hint:   f.hint,
		Err:    f.err,
	}
}
