package python

import (
	"slices"

	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/actions/run/python/syntax"
)

// stateKeys finds the keys of the state that the code names; all is true when
// it uses the state in any other way.
func stateKeys(f *syntax.File) (keys []string, all bool) {
	s := keyScan{keys: map[string]struct{}{}, global: slices.Index(f.Globals, "state")}
	for _, st := range f.Body {
		s.visit(st)
	}
	for k := range s.keys {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys, s.all
}

type keyScan struct {
	keys   map[string]struct{}
	global int // the global variable state, -1 when the code has none of its own
	all    bool
}

func (s *keyScan) visit(n any) { //nolint:cyclop // one case for each kind of node
	switch n := n.(type) {
	case *syntax.Name:
		s.all = s.all || s.isState(n)
		return
	case *syntax.Subscript:
		if s.isState(n.X) && s.literal(n.Index) {
			return
		}
	case *syntax.Call:
		if s.method(n) {
			return
		}
	case *syntax.Attribute:
		if s.isState(n.X) && !isDictMethod(n.Name) {
			s.keys[n.Name] = struct{}{}
			return
		}
	case *syntax.Compare:
		if len(n.Rest) == 1 && (n.Ops[0] == object.In || n.Ops[0] == object.NotIn) && s.isState(n.Rest[0]) && s.literal(n.First) {
			return
		}
	}
	syntax.Children(n, s.visit)
}

// method handles state.get("x", ...) and its like.
func (s *keyScan) method(c *syntax.Call) bool {
	a, ok := c.Func.(*syntax.Attribute)
	if !ok || !s.isState(a.X) || len(c.Args) == 0 {
		return false
	}
	switch a.Name {
	case "get", "pop", "setdefault":
	default:
		return false
	}
	if c.Args[0].Stars > 0 || c.Args[0].Name != "" || !s.literal(c.Args[0].X) {
		return false
	}
	for _, rest := range c.Args[1:] {
		s.visit(rest.X)
	}
	return true
}

func isDictMethod(name string) bool {
	switch name {
	case "get", "items", "keys", "values", "pop", "popitem", "setdefault", "update", "copy", "clear":
		return true
	}
	return false
}

func (s *keyScan) isState(x any) bool {
	n, ok := x.(*syntax.Name)
	if !ok || n.Ident != "state" {
		return false
	}
	return n.Ref.Kind == syntax.Universal || n.Ref.Kind == syntax.Global && n.Ref.Index == s.global
}

// literal notes a key that is a literal string.
func (s *keyScan) literal(x syntax.Expr) bool {
	c, ok := x.(*syntax.Const)
	if !ok {
		return false
	}
	key, ok := object.AsStr(c.Value)
	if ok {
		s.keys[key] = struct{}{}
	}
	return ok
}
