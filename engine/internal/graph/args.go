package graph

import (
	"context"

	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/value"
)

// Args are the compiled parameters of a call: its `with`. The zero Args are
// none. They are immutable and safe for concurrent use.
type Args struct {
	fields []Field
	late   map[string]bool // parameters whose failure the action judges itself
}

// Render returns the parameters as an object. Expressions that the action
// evaluates itself are in it as they are written. late says why a parameter
// that is declared as late could not be rendered; it is then not in the
// object. The error is of type *Error and holds everything else that failed.
func (a *Args) Render(ctx context.Context, scope filters.Scope) (v value.Value, late map[string]error, err error) {
	var errs []error
	members := make([]value.Member, 0, len(a.fields))
	for _, f := range a.fields {
		m, err := f.Value.Render(ctx, scope)
		switch {
		case err == nil:
			members = append(members, value.M(f.Key, m))
		case a.late[f.Key] && ctx.Err() == nil:
			if late == nil {
				late = map[string]error{}
			}
			late[f.Key] = err
		default:
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return value.Null(), nil, gather(errs)
	}
	return value.Object(members...), late, nil
}

// Keys returns the names of the parameters that are given, in the order of the
// file.
func (a *Args) Keys() []string {
	keys := make([]string, len(a.fields))
	for i, f := range a.fields {
		keys[i] = f.Key
	}
	return keys
}

// put sets a parameter, in place of one that is there.
func (a *Args) put(key string, t *Tree) {
	for i := range a.fields {
		if a.fields[i].Key == key {
			a.fields[i].Value = t
			return
		}
	}
	a.fields = append(a.fields, Field{Key: key, Value: t})
}
