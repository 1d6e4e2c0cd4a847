package object

import (
	"fmt"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
)

// Pos is a place in the code, both numbers from 1. Col counts characters. The
// zero Pos is unknown.
type Pos struct{ Line, Col int }

// Start returns the position itself, so that nodes which embed a Pos have one.
func (p Pos) Start() Pos { return p }

// TraceEntry is one level of a traceback.
type TraceEntry struct {
	Pos  Pos
	Func string // the function in which it stands; "<module>" at the top
}

// Exception is a raised or raisable Python exception. It is both a Go error
// and a Python value.
type Exception struct {
	Kind  string // the class, such as ValueError
	Args  []Object
	Hint  string       // advice to the author, if any
	Fatal bool         // a limit or cancellation, not an error of the code
	Cause error        // the Go error behind it, if any
	Pos   Pos          // where it was raised
	Trace []TraceEntry // innermost first
}

// TypeName implements Object.
func (e *Exception) TypeName() string { return e.Kind }

// Error gives "KeyError: 'x'", as the last line of Python's traceback does.
func (e *Exception) Error() string {
	if msg := e.Message(); msg != "" {
		return e.Kind + ": " + msg
	}
	return e.Kind
}

// Unwrap returns the Go error behind the exception, if any.
func (e *Exception) Unwrap() error { return e.Cause }

// Message is str(e).
func (e *Exception) Message() string {
	switch len(e.Args) {
	case 0:
		return ""
	case 1:
		if e.Kind == "KeyError" {
			return plainRepr(e.Args[0])
		}
		return plainStr(e.Args[0])
	}
	return plainRepr(&Tuple{items: e.Args})
}

// Attr implements Attributer.
func (e *Exception) Attr(_ *Thread, name string) (Object, bool, error) {
	if name == "args" {
		return &Tuple{items: e.Args}, true, nil
	}
	return nil, false, nil
}

// Repr implements Reprer.
func (e *Exception) Repr(t *Thread) (string, error) {
	args, err := t.reprAll(e.Args)
	return e.Kind + "(" + strings.Join(args, ", ") + ")", err
}

// Str implements Strer.
func (e *Exception) Str() string { return e.Message() }

// Errorf makes an exception of the given class.
func Errorf(kind, format string, args ...any) *Exception {
	return &Exception{Kind: kind, Args: []Object{NewStr(fmt.Sprintf(format, args...))}}
}

// TypeErrorf makes a TypeError.
func TypeErrorf(format string, args ...any) error { return Errorf("TypeError", format, args...) }

// ValueErrorf makes a ValueError.
func ValueErrorf(format string, args ...any) error { return Errorf("ValueError", format, args...) }

// WithHint adds advice to an exception and returns it.
func (e *Exception) WithHint(format string, args ...any) *Exception {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// keyError makes a KeyError, and names the key that was probably meant.
func keyError(key Object, d *Dict) error {
	e := &Exception{Kind: "KeyError", Args: []Object{key}}
	s, ok := key.(*Str)
	if !ok || d == nil {
		return e
	}
	var known []string
	for i := range d.entries {
		if k, ok := d.entries[i].k.(*Str); ok {
			known = append(known, k.s)
		}
	}
	return e.suggest(s.s, known)
}

// suggest adds "did you mean" for the closest of the known names, if one is.
func (e *Exception) suggest(name string, known []string) *Exception {
	if s := diag.Suggest(name, known); s != "" {
		e.Hint = "did you mean " + s + "?"
	}
	return e
}

// Suggest is for packages that raise errors about unknown names.
func (e *Exception) Suggest(name string, known []string) *Exception { return e.suggest(name, known) }

// ExceptionKinds lists the exception classes that code may raise.
func ExceptionKinds() []string {
	return []string{
		"BaseException", "Exception", "ArithmeticError", "AssertionError", "AttributeError",
		"EOFError", "IndexError", "KeyError", "LookupError", "NameError", "NotImplementedError",
		"OSError", "IOError", "FileNotFoundError", "PermissionError", "ConnectionError", "TimeoutError",
		"OverflowError", "RecursionError", "RuntimeError", "StopIteration", "TypeError",
		"UnicodeError", "UnicodeDecodeError", "UnicodeEncodeError", "ValueError", "ZeroDivisionError",
	}
}
