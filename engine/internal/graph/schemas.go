package graph

import (
	"errors"

	"github.com/tea-agents/tea/engine/internal/ioschema"
	"github.com/tea-agents/tea/engine/spec"
)

// schemas compiles the declared shapes, and checks the initial state against
// its own.
func (c *compiler) schemas() Schemas {
	s := Schemas{
		State: c.schema(c.agent.StateSchema, ioschema.Input),
		Input: c.schema(c.agent.InputSchema, ioschema.Input),
	}
	if out := c.schema(c.agent.OutputSchema, ioschema.Output); out != nil {
		s.Output = c.outputSchema(out)
	}
	initial := c.agent.InitialState
	if s.State == nil || initial == nil {
		return s
	}
	problems, _ := errors.AsType[ioschema.Problems](s.State.CheckPresent(initial.Value()))
	for _, p := range problems {
		pos, width := initial.Find(p.Path, false)
		c.add(pos, width, "state_schema", "the initial state does not fit state_schema: %s", p)
	}
	return s
}

func (c *compiler) schema(d *spec.Data, use ioschema.Use) *ioschema.Schema {
	if d == nil {
		return nil
	}
	s, diags := ioschema.Compile(d, use)
	c.diags = append(c.diags, diags...)
	return s
}

func (c *compiler) outputSchema(s *ioschema.Schema) *OutputSchema {
	o := &OutputSchema{Pos: c.agent.OutputSchema.Pos, schema: s}
	for _, source := range s.Sources() {
		f := Field{Key: source.Key}
		if source.From != nil {
			f.Value = c.tree(source.From, scopeOf("output_schema"))
		}
		o.fields = append(o.fields, f)
	}
	return o
}
