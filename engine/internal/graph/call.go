package graph

import (
	"fmt"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

// wrapAction is the action whose parameters `action` and `args` are a call of
// their own.
const wrapAction = "cache.wrap"

// uses compiles a call of an action.
func (c *compiler) uses(n *spec.Node, u *spec.Uses) Body {
	a, ok := c.action(u.Action)
	if !ok {
		return &Steps{}
	}
	name := a.Spec().Name
	with := u.With
	if name == wrapAction {
		with = c.withDefaults(with, func(key string) bool { _, known := a.Input().Field(key); return known })
	}
	c.checkArgs(a, with, u.Action)
	call := &Call{Action: a, With: c.args(a.Input(), with, scope{where: "with", hash: true})}
	if name == wrapAction && with != nil {
		c.prepare(call.With, with, c.wrapped(with))
	}
	if n.Cache != nil {
		call.Cache = c.cachePlan(n.Cache, a, u.Action, a.Input().Names())
	}
	return call
}

// action finds an action by name.
func (c *compiler) action(t spec.Text) (actions.Action, bool) {
	a, ok := c.o.Registry.Lookup(t.Value)
	if ok {
		return a, true
	}
	d := c.at(t, "unknown_action", "unknown action %q", t.Value)
	if s := c.o.Registry.Suggest(t.Value); s != "" {
		d.Hint = fmt.Sprintf("did you mean %q?", s)
	} else {
		d.Hint = diag.DidYouMean(t.Value, c.o.Registry.Names())
	}
	if dynamic(t.Value) {
		d.Hint = "the name of an action is not rendered: write it out"
	}
	return actions.Action{}, false
}

// checkArgs checks parameters, nil for none, against an action's declaration.
// named is where the action is named, which takes what cannot be said of a
// parameter.
func (c *compiler) checkArgs(a actions.Action, args *spec.Data, named spec.Text) {
	given := value.Object()
	if args != nil {
		given = args.Value()
	}
	added := c.llmGiven(a, given)
	for _, p := range a.Input().Check(given.Merge(added), dynamic) {
		if len(p.Path) > 0 && !added.At(p.Path[0]).IsNull() {
			continue // said where it stands
		}
		pos, width := named.Pos, named.Width()
		if len(p.Path) > 0 {
			pos, width = args.Find(p.Path, p.Key)
		}
		d := c.add(pos, width, "parameter", "%s: %s", a.Spec().Name, p.Message)
		d.Hint = p.Hint
	}
}

// args compiles parameters along their declaration.
func (c *compiler) args(o *schema.Object, with *spec.Data, in scope) *Args {
	a := &Args{late: map[string]bool{}}
	if with == nil {
		return a
	}
	for _, m := range with.Members {
		field, _ := o.Field(m.Key.Value)
		f := Field{Key: m.Key.Value}
		if field.Mode == schema.ModeExpr {
			f.Value = &Tree{static: m.Value.Value()}
			c.ownExpr(m)
		} else {
			f.Value = c.tree(m.Value, in)
		}
		a.late[f.Key] = field.Mode == schema.ModeLate
		a.fields = append(a.fields, f)
	}
	return a
}

// ownExpr checks an expression that the action evaluates itself, with names of
// its own. Those of `unless` are known.
func (c *compiler) ownExpr(m spec.Member) {
	if !m.Value.IsText() {
		return // its type is the schema's to check
	}
	in := scope{where: m.Key.Value, anything: true}
	if m.Key.Value == "unless" {
		in = scope{where: m.Key.Value, result: true}
	}
	c.expr(m.Value.Text, in)
}
