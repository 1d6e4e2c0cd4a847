package graph

import (
	"context"

	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/value"
)

// Tree is a YAML value, however deep, whose strings are compiled templates. It
// is immutable and safe for concurrent use.
type Tree struct {
	static  value.Value       // when nothing below is dynamic
	text    spec.Text         // of tmpl
	tmpl    *filters.Template // a string with a template in it
	expr    *Expr             // a path that is read as an expression
	items   []*Tree           // a list
	members []Field           // an object
}

// Static tells whether the value is the same in every run.
func (t *Tree) Static() bool {
	return t.tmpl == nil && t.expr == nil && t.items == nil && t.members == nil
}

// Render returns the value with its templates rendered. The error is of type
// *Error and holds everything that failed.
func (t *Tree) Render(ctx context.Context, scope filters.Scope) (value.Value, error) {
	switch {
	case t.tmpl != nil:
		v, err := t.tmpl.Render(ctx, scope)
		if err != nil {
			return value.Null(), failed(err, t.text, codeTemplate)
		}
		return v, nil
	case t.expr != nil:
		return t.expr.Eval(ctx, scope)
	case t.items != nil:
		return t.renderList(ctx, scope)
	case t.members != nil:
		return t.renderObject(ctx, scope)
	default:
		return t.static, nil
	}
}

func (t *Tree) renderList(ctx context.Context, scope filters.Scope) (value.Value, error) {
	var errs []error
	items := make([]value.Value, len(t.items))
	for i, item := range t.items {
		v, err := item.Render(ctx, scope)
		if err != nil {
			errs = append(errs, err)
		}
		items[i] = v
	}
	return value.List(items...), gather(errs)
}

func (t *Tree) renderObject(ctx context.Context, scope filters.Scope) (value.Value, error) {
	var errs []error
	members := make([]value.Member, len(t.members))
	for i, m := range t.members {
		v, err := m.Value.Render(ctx, scope)
		if err != nil {
			errs = append(errs, err)
		}
		members[i] = value.M(m.Key, v)
	}
	return value.Object(members...), gather(errs)
}
