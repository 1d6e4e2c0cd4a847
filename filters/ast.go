package filters

import "github.com/tea-agents/tea/value"

// node is one part of an expression. Nodes are immutable once parsed.
type node interface {
	at() int // byte offset in the source
	eval(e *env) (operand, error)
	each(visit func(node)) // calls visit with the direct children
}

type pos int

func (p pos) at() int { return int(p) }

type (
	litNode struct {
		pos
		v value.Value
	}
	nameNode struct {
		pos
		name string
	}
	listNode struct {
		pos
		items []node
	}
	dictNode struct {
		pos
		keys, values []node
	}
	attrNode struct {
		pos
		x    node
		name string
	}
	indexNode struct {
		pos
		x, index node
	}
	sliceNode struct {
		pos
		x             node
		low, high, by node // nil when left out
	}
	filterNode struct {
		pos
		x      node
		filter *boundFilter
		args   arguments
	}
	testNode struct {
		pos
		x    node
		test *jtest
		name string
		args []node
		not  bool
	}
	methodNode struct {
		pos
		x    node
		name string
		args arguments
	}
	funcNode struct {
		pos
		name string
		fn   function
		args arguments
	}
	unaryNode struct {
		pos
		op string
		x  node
	}
	binaryNode struct {
		pos
		op   string
		l, r node
	}
	logicNode struct {
		pos
		or   bool
		l, r node
	}
	compareNode struct {
		pos
		first node
		ops   []string
		rest  []node
	}
	concatNode struct {
		pos
		parts []node
	}
	condNode struct {
		pos
		test, then, other node // other is nil when there is no else
	}
)

// arguments of a call, as written.
type arguments struct {
	pos   []node
	named []namedArg
}

type namedArg struct {
	name string
	off  int
	x    node
}

func (a arguments) each(visit func(node)) {
	visitAll(visit, a.pos...)
	for _, n := range a.named {
		visit(n.x)
	}
}

func visitAll(visit func(node), nodes ...node) {
	for _, n := range nodes {
		if n != nil {
			visit(n)
		}
	}
}

func (*litNode) each(func(node))         {}
func (*nameNode) each(func(node))        {}
func (n *listNode) each(v func(node))    { visitAll(v, n.items...) }
func (n *dictNode) each(v func(node))    { visitAll(v, n.keys...); visitAll(v, n.values...) }
func (n *attrNode) each(v func(node))    { v(n.x) }
func (n *indexNode) each(v func(node))   { visitAll(v, n.x, n.index) }
func (n *sliceNode) each(v func(node))   { visitAll(v, n.x, n.low, n.high, n.by) }
func (n *filterNode) each(v func(node))  { v(n.x); n.args.each(v) }
func (n *testNode) each(v func(node))    { v(n.x); visitAll(v, n.args...) }
func (n *methodNode) each(v func(node))  { v(n.x); n.args.each(v) }
func (n *funcNode) each(v func(node))    { n.args.each(v) }
func (n *unaryNode) each(v func(node))   { v(n.x) }
func (n *binaryNode) each(v func(node))  { visitAll(v, n.l, n.r) }
func (n *logicNode) each(v func(node))   { visitAll(v, n.l, n.r) }
func (n *compareNode) each(v func(node)) { v(n.first); visitAll(v, n.rest...) }
func (n *concatNode) each(v func(node))  { visitAll(v, n.parts...) }
func (n *condNode) each(v func(node))    { visitAll(v, n.test, n.then, n.other) }

// walk visits n and everything below it, parents first.
func walk(n node, visit func(node)) {
	visit(n)
	n.each(func(child node) { walk(child, visit) })
}

// describe returns how the source would name n, as in state.items[0], or ""
// when it is not a plain path.
func describe(n node) string {
	switch n := n.(type) {
	case *nameNode:
		return n.name
	case *attrNode:
		if x := describe(n.x); x != "" {
			return x + "." + n.name
		}
	case *indexNode:
		if x := describe(n.x); x != "" {
			if lit, ok := n.index.(*litNode); ok {
				return x + "[" + lit.v.String() + "]"
			}
			return x + "[…]"
		}
	}
	return ""
}
