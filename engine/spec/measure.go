package spec

import "gopkg.in/yaml.v3"

// measure walks a document without expanding it.
type measure struct {
	seen        map[*yaml.Node]extent // of lists and maps
	open        map[*yaml.Node]bool   // lists and maps around the current place
	written     int                   // values, aliases counted as one each
	where       *yaml.Node            // the place of the first problem
	deep, cycle bool
}

// extent is how large a value is when its aliases are expanded. size stops
// growing beyond MaxValues.
type extent struct{ size, height int }

func (m *measure) visit(n *yaml.Node, depth int) extent {
	switch {
	case m.deep || m.cycle:
		return extent{}
	case n.Kind == yaml.AliasNode:
		return m.alias(n, depth)
	case n.Kind == yaml.ScalarNode:
		m.written++
		return extent{size: 1}
	case depth > MaxDepth:
		m.deep, m.where = true, n
		return extent{}
	}
	m.written++
	m.open[n] = true
	total := extent{size: 1}
	for _, child := range n.Content {
		e := m.visit(child, depth+1)
		total.size = min(total.size+e.size, MaxValues+1)
		total.height = max(total.height, e.height)
	}
	delete(m.open, n)
	total.height++
	m.seen[n] = total
	return total
}

func (m *measure) alias(n *yaml.Node, depth int) extent {
	e := m.seen[n.Alias]
	m.written++
	switch {
	case m.open[n.Alias]:
		m.cycle, m.where = true, n
	case depth+e.height-1 > MaxDepth:
		m.deep, m.where = true, n
	case m.where == nil:
		m.where = n
	}
	e.size = max(1, e.size)
	return e
}
