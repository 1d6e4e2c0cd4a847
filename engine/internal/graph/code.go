package graph

import (
	"github.com/tea-agents/tea/engine/spec"
)

// python is the language of run blocks that do not name one.
const python = "python"

// run compiles a block of code to a call of the action of its language.
func (c *compiler) run(n *spec.Node, r *spec.Run) Body {
	if d := c.language(r.Language); d != nil {
		c.diags = append(c.diags, *d)
		return &Steps{}
	}
	action := spec.Text{Value: "run." + python, Pos: r.Pos}
	a, ok := c.o.Registry.Lookup(action.Value)
	if !ok || c.o.Code == nil {
		c.add(r.Pos, 1, "unknown_language", "this program was built without the language %s", python)
		return &Steps{}
	}
	program, problems := c.o.Code(python, r.Code.Value)
	for _, p := range problems {
		c.add(r.Code.LineCol(p.Line, p.Col), max(1, p.Width), "code", "%s", p.Message).Hint = p.Hint
	}
	call := &Call{
		Action: a, With: &Args{},
		Code: &Code{Language: python, Source: r.Code.Value, Text: r.Code, Program: program},
	}
	if n.Cache != nil {
		call.Cache = c.cachePlan(n.Cache, callOf{action: a, open: true, at: action})
	}
	return call
}
