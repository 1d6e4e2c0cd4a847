package graph

import (
	"fmt"
	"strings"

	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/internal/diag"
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
		call.Cache = c.cachePlan(n.Cache, a, action, nil)
	}
	return call
}

// languages checks what settings.run.allow asks for.
func (c *compiler) languages() {
	for _, t := range c.set.Allow {
		if d := c.language(t); d != nil {
			c.diags = append(c.diags, *d)
		}
	}
}

// language returns what is wrong with a language, or nil.
func (c *compiler) language(t spec.Text) *diag.Diagnostic {
	d := diag.Diagnostic{Pos: t.Pos, Width: t.Width(), Code: "not_supported"}
	switch t.Value {
	case "", "python":
		return nil
	case "python3", "lua", "shell":
		d.Message = fmt.Sprintf("the language `%s` is not supported yet by this version", t.Value)
		d.Hint = "leave `language` out for the embedded Python, or register an action in Go"
	default:
		d.Code, d.Message = "unknown_language", fmt.Sprintf("unknown language %q", t.Value)
		d.Hint = diag.DidYouMean(strings.ToLower(t.Value), []string{"python", "python3", "lua", "shell"})
	}
	return &d
}
