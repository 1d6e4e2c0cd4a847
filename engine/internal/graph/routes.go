package graph

import (
	"slices"
	"strings"

	"github.com/tea-agents/tea/engine/spec"
)

// way is one line that leads from a node: of its goto, or an edge.
type way struct {
	when, to spec.Text
}

// routes lowers goto, edges and the order of the list to routes: a node's goto
// counts before its edges, and these before the next node.
func (c *compiler) routes(g *Graph) {
	edges := c.edges()
	for i, n := range c.agent.Nodes {
		name := n.Name.Value
		node := g.Nodes[i]
		switch {
		case len(n.Goto) > 0:
			ways := make([]way, len(n.Goto))
			for j, r := range n.Goto {
				ways[j] = way{when: r.If, to: r.To}
			}
			node.Routes = c.ways(ways, scopeOf("goto"))
			for _, w := range edges[name] {
				c.warn(w.to, "unreachable_edge", "the edge is never taken: the node %q has a `goto`, which counts before edges", name)
				c.target(w.to)
				c.expr(w.when, scopeOf("when"))
			}
		case len(edges[name]) > 0:
			node.Routes = c.ways(edges[name], scopeOf("when"))
		case i+1 < len(g.Nodes):
			node.Routes = []Route{{To: i + 1}}
		default:
			node.Routes = []Route{{To: End}}
		}
	}
	c.entry(g, edges[spec.Start])
}

// edges groups the edges by the node that they leave, in the order of the file.
func (c *compiler) edges() map[string][]way {
	from := map[string][]way{}
	for _, e := range c.agent.Edges {
		switch {
		case e.From.IsZero() || e.To.IsZero():
			continue
		case e.From.Value == spec.End:
			c.at(e.From, "unknown_node", "nothing leads from %s", spec.End)
		case e.From.Value == spec.Start:
			from[spec.Start] = append(from[spec.Start], way{when: e.When, to: e.To})
		default:
			if _, ok := c.target(e.From); ok {
				from[e.From.Value] = append(from[e.From.Value], way{when: e.When, to: e.To})
			}
		}
	}
	return from
}

// ways compiles rules. What stands behind a rule that always holds is never
// taken; without such a rule the run may be at a loss.
func (c *compiler) ways(ways []way, in scope) []Route {
	routes := make([]Route, 0, len(ways))
	for i, w := range ways {
		to, _ := c.target(w.to)
		if w.conditional() {
			routes = append(routes, Route{When: c.expr(w.when, in), To: to})
			continue
		}
		routes = append(routes, Route{To: to})
		for _, dead := range ways[i+1:] {
			c.dead(dead, in)
		}
		return routes
	}
	last := ways[len(ways)-1]
	c.warn(last.to, "no_route", "none of these conditions may hold, and then the run fails with no_route").
		Hint = "end with a rule that has no condition, such as " + fallback(in)
	return routes
}

// conditional tells whether the rule was written with a condition that can fail.
func (w way) conditional() bool {
	return !w.when.IsZero() && !strings.EqualFold(strings.TrimSpace(w.when.Value), "true")
}

func (c *compiler) dead(w way, in scope) {
	d := c.at(w.to, "unreachable_edge", "this way is never taken: the one before it has no condition")
	d.Hint = "put the one without a condition last"
	if in.where == "when" && !w.conditional() {
		d.Hint = "to run branches at the same time write `type: parallel` (not supported yet by this version)"
	}
	if _, ok := c.target(w.to); ok {
		c.expr(w.when, in)
	}
}

func fallback(in scope) string {
	if in.where == "goto" {
		return "`- to: __end__`"
	}
	return "an edge to __end__"
}

// entry finds the first node. When conditions choose among several, a node
// that does nothing is put in front, whose routes they are.
func (c *compiler) entry(g *Graph, ways []way) {
	g.Entry = 0
	switch {
	case len(ways) == 0:
	case len(ways) == 1 && !ways[0].conditional():
		g.Entry, _ = c.target(ways[0].to)
	default:
		g.Entry = len(g.Nodes)
		g.Nodes = append(g.Nodes, &Node{
			Name: StartName, Pos: ways[0].to.Pos, Index: g.Entry, Body: &Steps{}, Routes: c.ways(ways, scopeOf("when")),
		})
	}
	if len(g.Nodes) == 0 {
		g.Entry = End
	}
}

// reach warns of nodes that no way leads to.
func (c *compiler) reach(g *Graph) {
	if c.agent.Flawed || c.diags.HasErrors() || g.Entry == End {
		return
	}
	seen := make([]bool, len(g.Nodes))
	todo := []int{g.Entry}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i == End || seen[i] {
			continue
		}
		seen[i] = true
		for _, r := range g.Nodes[i].Routes {
			todo = append(todo, r.To)
		}
		if e := g.Nodes[i].OnError; e != nil && e.HasGoto {
			todo = append(todo, e.Goto)
		}
	}
	for i, n := range c.agent.Nodes {
		if !seen[i] {
			c.warn(n.Name, "unreachable_node", "nothing leads to the node %q", n.Name.Value).Hint = c.reachHint(i)
		}
	}
}

func (c *compiler) reachHint(i int) string {
	if i == 0 || len(c.agent.Nodes[i-1].Goto) == 0 && !c.hasEdges(c.agent.Nodes[i-1]) {
		return ""
	}
	return "the node before it goes elsewhere, and no `goto` or edge names this one"
}

func (c *compiler) hasEdges(n *spec.Node) bool {
	return slices.ContainsFunc(c.agent.Edges, func(e *spec.Edge) bool { return e.From.Value == n.Name.Value })
}
