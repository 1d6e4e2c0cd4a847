package graph

import (
	"errors"
	"unicode"

	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/diag"
)

// Error is a failure in the run of something that stands in the file: a
// template, an expression. It says where.
type Error struct {
	Problems diag.List // never empty
	Err      error     // the cause
}

// Error returns all problems, a line each.
func (e *Error) Error() string { return e.Problems.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// The codes of problems in templates and expressions.
const (
	codeTemplate   = "template"
	codeExpression = "expression"
)

// placed turns an error of the package filters about text into diagnostics at
// the places in the file.
func placed(err error, text spec.Text, code string) diag.List {
	var all filters.Errors
	if one, ok := errors.AsType[*filters.Error](err); ok {
		all = filters.Errors{one}
	}
	if many, ok := errors.AsType[filters.Errors](err); ok {
		all = many
	}
	if len(all) == 0 {
		return diag.List{{Pos: text.Pos, Width: text.Width(), Code: code, Message: err.Error()}}
	}
	list := make(diag.List, len(all))
	for i, e := range all {
		list[i] = diag.Diagnostic{Pos: text.At(e.Offset), Width: word(text.Value, e.Offset), Code: code, Message: e.Msg, Hint: e.Hint}
	}
	return list
}

// word is the width of the name that begins at an offset of s, or 1.
func word(s string, offset int) int {
	n := 0
	for _, r := range s[min(max(0, offset), len(s)):] {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		n++
	}
	return max(1, n)
}

// failed is placed for a run.
func failed(err error, text spec.Text, code string) error {
	return &Error{Problems: placed(err, text, code), Err: err}
}

// gather makes one error of many. It keeps the order.
func gather(errs []error) error {
	var all diag.List
	for _, err := range errs {
		if e, ok := errors.AsType[*Error](err); ok {
			all = append(all, e.Problems...)
		}
	}
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return errs[0]
	}
	return &Error{Problems: all, Err: errors.Join(errs...)}
}
