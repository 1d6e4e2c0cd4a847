package graph

import (
	"context"

	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// Expr is an expression of the document, such as a condition. It is immutable
// and safe for concurrent use.
type Expr struct {
	text spec.Text
	expr *filters.Expr
}

// Pos is where the expression stands.
func (e *Expr) Pos() diag.Pos { return e.text.Pos }

// Source is the expression as it is written.
func (e *Expr) Source() string { return e.text.Value }

// Eval returns the value of the expression. The error is of type *Error.
func (e *Expr) Eval(ctx context.Context, scope filters.Scope) (value.Value, error) {
	v, err := e.expr.Eval(ctx, scope)
	if err != nil {
		return value.Null(), failed(err, e.text, codeExpression)
	}
	return v, nil
}

// True tells whether the expression holds, as a condition: text that looks
// like an answer is an error. The error is of type *Error.
func (e *Expr) True(ctx context.Context, scope filters.Scope) (bool, error) {
	ok, err := e.expr.Condition(ctx, scope)
	if err != nil {
		return false, failed(err, e.text, codeExpression)
	}
	return ok, nil
}
