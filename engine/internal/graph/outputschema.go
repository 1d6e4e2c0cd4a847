package graph

import (
	"context"
	"errors"

	"github.com/tea-agents/tea/engine/internal/ioschema"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// OutputSchema says what a run returns. It is immutable and safe for
// concurrent use.
type OutputSchema struct {
	Pos    diag.Pos
	schema *ioschema.Schema
	fields []Field // Value is nil where the key is taken from the state
}

// Render picks and renders the declared keys from the state, and checks them.
// An error is of type *Error.
func (o *OutputSchema) Render(ctx context.Context, scope filters.Scope) (value.Value, error) {
	state, _ := scope.Lookup("state")
	out := value.Object()
	var errs []error
	for _, f := range o.fields {
		if f.Value == nil {
			if v, ok := state.Get(f.Key); ok {
				out = out.With(f.Key, v)
			}
			continue
		}
		v, err := f.Value.Render(ctx, scope)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = out.With(f.Key, v)
	}
	if err := gather(errs); err != nil {
		return value.Null(), err
	}
	v, err := o.schema.Conform(out)
	if problems, ok := errors.AsType[ioschema.Problems](err); ok {
		return value.Null(), o.problem(problems)
	}
	return v, err
}

func (o *OutputSchema) problem(problems ioschema.Problems) error {
	e := &Error{Err: problems}
	for _, p := range problems {
		e.Problems.Add(o.Pos, "output_schema", "the result does not fit output_schema: %s", p)
	}
	return e
}
