package graph

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/internal/diag"
)

// nodes compiles the nodes and the ways between them.
func (c *compiler) nodes(g *Graph) {
	for i, n := range c.agent.Nodes {
		if _, twice := c.index[n.Name.Value]; !twice && !n.Name.IsZero() {
			c.index[n.Name.Value] = i
		}
	}
	for i, n := range c.agent.Nodes {
		g.Nodes = append(g.Nodes, c.node(n, n.Name.Value, i))
	}
	c.routes(g)
	c.reach(g)
}

// node compiles one node, at the top or inside another.
func (c *compiler) node(n *spec.Node, name string, index int) *Node {
	return &Node{
		Name: name, Pos: n.Pos, Index: index,
		If:      c.expr(n.If, scopeOf("if")),
		Body:    c.body(n, name),
		Output:  c.output(n.Output),
		OnError: c.onError(n.OnError),
	}
}

// inner compiles the nodes of a body. Those without a name are called after
// the node around them.
func (c *compiler) inner(nodes []*spec.Node, outer string) []*Node {
	out := make([]*Node, len(nodes))
	for i, n := range nodes {
		name := n.Name.Value
		if name == "" {
			name = fmt.Sprintf("%s[%d]", outer, i)
		}
		out[i] = c.node(n, name, i)
	}
	return out
}

// body compiles what a node does; an empty Steps stands for what Parse could
// not read.
func (c *compiler) body(n *spec.Node, name string) Body {
	if n.Cache != nil {
		c.cacheable(n)
	}
	switch b := n.Body.(type) {
	case *spec.Uses:
		return c.uses(n, b)
	case *spec.Run:
		return c.run(n, b)
	case *spec.Steps:
		return &Steps{Nodes: c.inner(b.Nodes, name)}
	case *spec.While:
		return &Loop{
			While: c.expr(b.Condition, scopeOf("condition")),
			Max:   b.MaxIterations,
			Body:  c.inner(b.Nodes, name),
		}
	default:
		return &Steps{}
	}
}

// cacheable complains about `cache:` on what is more than a call.
func (c *compiler) cacheable(n *spec.Node) {
	switch n.Body.(type) {
	case *spec.Steps:
		c.at(n.Cache.Key, "not_supported", "`cache` on `steps` is not supported yet by this version").
			Hint = "put it on the steps themselves"
	case *spec.While:
		c.at(n.Cache.Key, "not_supported", "`cache` on a while_loop is not supported yet by this version").
			Hint = "put it on the nodes of its body"
	}
}

func (c *compiler) output(o spec.Output) Output {
	if dynamic(o.Name.Value) {
		c.at(o.Name, "wrong_type", "`output` is the name of a state key, and names are not rendered").
			Hint = "to render a value write `output: {name: template}`"
	}
	in := scope{where: "output", result: true}
	out := Output{Name: o.Name.Value}
	if len(o.Fields) > 0 {
		out.Fields = c.fieldsOf(o.Fields, in)
	}
	return out
}

func (c *compiler) onError(e *spec.OnError) *OnError {
	if e == nil {
		return nil
	}
	out := &OnError{Result: e.Result, Set: c.fieldsOf(e.Set, scopeOf("on_error"))}
	if e.Goto != nil {
		to, ok := c.target(*e.Goto)
		out.Goto, out.HasGoto = to, ok
	}
	return out
}

// target returns the index of the node that a jump leads to.
func (c *compiler) target(t spec.Text) (int, bool) {
	if t.Value == spec.End {
		return End, true
	}
	if i, ok := c.index[t.Value]; ok {
		return i, true
	}
	if t.IsZero() {
		return End, false
	}
	d := c.at(t, "unknown_node", "no node is called %q", t.Value)
	d.Hint = diag.DidYouMean(t.Value, append(slices.Collect(maps.Keys(c.index)), spec.End))
	switch {
	case t.Value == spec.Start:
		d.Hint = "nothing leads back to the start; name the first node"
	case c.isInner(t.Value, c.agent.Nodes):
		d.Message = fmt.Sprintf("%q stands inside another node, where nothing can jump to", t.Value)
		d.Hint = "name the node that holds it"
	}
	return End, false
}

// isInner tells whether a node inside another one has the name.
func (c *compiler) isInner(name string, nodes []*spec.Node) bool {
	for _, n := range nodes {
		var inside []*spec.Node
		switch b := n.Body.(type) {
		case *spec.Steps:
			inside = b.Nodes
		case *spec.While:
			inside = b.Nodes
		}
		named := func(n *spec.Node) bool { return n.Name.Value == name }
		if slices.ContainsFunc(inside, named) || c.isInner(name, inside) {
			return true
		}
	}
	return false
}
