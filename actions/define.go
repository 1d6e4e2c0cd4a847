package actions

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

// Action is a declared action. It is immutable and safe for concurrent use.
// Only [Define] makes one; the zero Action is refused by [NewRegistry].
type Action struct {
	spec    Spec
	in, out *schema.Object // out is nil for a free-form result
	err     error          // what is malformed in the declaration
	body    body
}

// body decodes, runs and encodes.
type body func(ctx context.Context, env Env, input value.Value, opts schema.Options) (value.Value, error)

// Define declares an action. In is a struct with the tags of package
// internal/schema: the parameters. Out is such a struct, or [value.Value] for a
// result of any form. What is malformed in the declaration is an error of
// [NewRegistry].
func Define[In, Out any](spec Spec, run func(ctx context.Context, env Env, in In) (Out, error)) Action {
	a := Action{spec: spec}
	errs := spec.check()
	var err error
	if a.in, err = schema.For[In](); err != nil {
		errs = append(errs, fmt.Errorf("action %q: input: %w", spec.Name, err))
	}
	if reflect.TypeFor[Out]() != reflect.TypeFor[value.Value]() {
		if a.out, err = schema.For[Out](); err != nil {
			errs = append(errs, fmt.Errorf("action %q: output: %w", spec.Name, err))
		}
	}
	if run == nil {
		errs = append(errs, fmt.Errorf("action %q: no function", spec.Name))
	}
	a.err = errors.Join(errs...)
	in, out := a.in, a.out
	a.body = func(ctx context.Context, env Env, input value.Value, opts schema.Options) (value.Value, error) {
		var params In
		if err := in.DecodeWith(input, &params, opts); err != nil {
			return value.Null(), err
		}
		result, err := run(ctx, env, params)
		if err != nil {
			return value.Null(), err
		}
		if out == nil {
			return schema.Encode(result)
		}
		return out.Encode(&result)
	}
	return a
}

// Spec returns what the action says about itself.
func (a Action) Spec() Spec { return a.spec }

// Input returns the declaration of the parameters; nil if it is malformed.
func (a Action) Input() *schema.Object { return a.in }

// Output returns the declaration of the result, or nil when its form is free.
func (a Action) Output() *schema.Object { return a.out }

// OutputSchema returns the JSON Schema of results, with the success that every
// object among them has. A free-form result has the schema that allows all.
func (a Action) OutputSchema() value.Value {
	if a.out == nil {
		return value.Object(value.M("$schema", value.String(schema.Draft)))
	}
	s := a.out.JSONSchema()
	if _, ok := a.out.Field(successKey); ok {
		return s
	}
	success := value.Object(
		value.M("type", value.String("boolean")),
		value.M("description", value.String("Whether the action did what it was asked to.")),
	)
	return s.With("properties", s.At("properties").With(successKey, success))
}
