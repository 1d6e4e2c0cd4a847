package spec

import (
	"slices"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
)

// End and Start are the names of the two ends of a graph.
const (
	End   = "__end__"
	Start = "__start__"
)

// Node is one step: a body and what is around it.
type Node struct {
	Pos     diag.Pos
	Name    Text
	If      Text // an expression; zero: always
	Body    Body // *Run, *Uses, *Steps or *While; nil when it was not readable
	Output  Output
	Goto    []Rule
	OnError *OnError // nil: not handled
	Cache   *Member  // the node's `cache:` as written; nil: none
}

// Body is what a node does: *Run, *Uses, *Steps or *While.
type Body interface{ body() }

// place is where a node stands; it decides what may be around a body.
type place uint8

const (
	topLevel place = iota
	inSteps
	inLoop
)

func (w place) String() string {
	return [...]string{"the agent's nodes", "`steps`", "a loop's `body`"}[w]
}

// bodies are the keys of which a node has exactly one. `type` chooses among
// bodies of several keys.
func bodies() []string {
	return []string{"run", "script", "uses", "steps", "type", "agent", "subgraph", "parallel_each", "strategy"}
}

func (p *parser) node(d *Data, where place) *Node {
	d = p.object(d, nodeShape())
	n := &Node{
		Pos:     d.Pos,
		Name:    p.name(d.Get("name"), "a node's `name`"),
		If:      p.expr(d.Get("if"), "`if`"),
		Output:  p.output(d.Get("output")),
		OnError: p.onError(d.member("on_error")),
		Cache:   d.member("cache"),
	}
	p.string(d.Get("description"), "`description`")
	p.nodeName(n, d, where)
	p.unique(n)
	if m := d.member("goto"); m != nil {
		n.Goto = p.gotoRules(m, where)
	}
	if n.OnError != nil && n.OnError.Goto != nil && where != topLevel {
		p.add(n.OnError.Goto.Pos, n.OnError.Goto.Width(), "bad_goto", "nothing can jump out of %s", where).
			Hint = "handle the error at the node that holds it"
	}
	n.Body = p.nodeBody(d)
	return n
}

func (p *parser) nodeName(n *Node, d *Data, where place) {
	switch {
	case n.Name.IsZero() && where == topLevel && d.Get("name") == nil && d.IsObject() && len(d.Members) > 0:
		p.at(d, "missing_key", "the node has no `name`")
	case n.Name.Value == End || n.Name.Value == Start:
		p.add(n.Name.Pos, n.Name.Width(), "reserved_name", "%q is a reserved name", n.Name.Value).
			Hint = "it names an end of the graph; choose another name"
	case strings.HasPrefix(n.Name.Value, "__"):
		p.add(n.Name.Pos, n.Name.Width(), "reserved_name", "names that begin with __ are reserved")
	}
}

// unique checks that no other node has the name, be it inside another one.
func (p *parser) unique(n *Node) {
	if n.Name.IsZero() {
		return
	}
	if line, twice := p.nodeNames[n.Name.Value]; twice {
		p.add(n.Name.Pos, n.Name.Width(), "duplicate_name", "a second node is called %q", n.Name.Value).
			Hint = "the first one is at line " + itoa(line)
		return
	}
	p.nodeNames[n.Name.Value] = n.Name.Pos.Line
}

// nodeBody reads the only body of a node, and complains about none or two.
func (p *parser) nodeBody(d *Data) Body {
	var found []*Member
	for i := range d.Members {
		if slices.Contains(bodies(), d.Members[i].Key.Value) {
			found = append(found, &d.Members[i])
		}
	}
	if len(found) == 0 {
		if len(d.Members) > 0 {
			p.at(d, "no_body", "the node does nothing: it has no body").Hint = "add one of: run, uses, steps, type: while_loop"
		}
		return nil
	}
	for _, m := range found[1:] {
		if slices.Contains(nodeShape().later, found[0].Key.Value) {
			break // what may stand beside it is for the version that has it
		}
		p.atKey(m, "two_bodies", "a node has one body, and this one has `%s` already", found[0].Key.Value).
			Hint = "make it two nodes, or use `steps`"
	}
	p.strayKeys(d, found)
	switch m := found[0]; m.Key.Value {
	case "run", "script":
		return p.run(d, m)
	case "uses":
		return p.uses(d, m)
	case "steps":
		return &Steps{Pos: m.Key.Pos, Nodes: p.inner(m, inSteps)}
	case "type":
		return p.typed(d, m)
	default: // not supported yet, and reported
		return nil
	}
}

// strayKeys complains about keys that belong to another body than the node's.
func (p *parser) strayKeys(d *Data, found []*Member) {
	owners := map[string][]string{
		"with": {"uses", "agent", "subgraph", "strategy", "parallel_each"}, "language": {"run", "script"},
		"condition": {"type"}, "max_iterations": {"type"}, "body": {"type"},
	}
	for i := range d.Members {
		m := &d.Members[i]
		want, ok := owners[m.Key.Value]
		if !ok || slices.ContainsFunc(found, func(f *Member) bool { return slices.Contains(want, f.Key.Value) }) {
			continue
		}
		name := want[0]
		if name == "type" {
			name = "type: while_loop"
		}
		p.atKey(m, "unknown_key", "`%s` goes with `%s`, and this node has `%s`", m.Key.Value, name, found[0].Key.Value)
	}
}

// inner reads the nodes inside a body.
func (p *parser) inner(m *Member, where place) []*Node {
	items := p.list(m.Value, "`"+m.Key.Value+"`")
	if m.Value.IsList() && len(items) == 0 {
		p.at(m.Value, "no_body", "`%s` is empty", m.Key.Value)
	}
	nodes := make([]*Node, len(items))
	for i, item := range items {
		nodes[i] = p.node(item, where)
	}
	return nodes
}
