package syntax

// resolve finds out which variable every name stands for.
func resolve(f *File, p *parser) {
	r := &resolver{p: p, scope: newScope(nil, nil)}
	for _, s := range f.Body {
		r.walk(s)
	}
	module := r.scope
	found := map[*Name]*binding{}
	module.settle(r.missing, found)
	module.allocate(found)
	for _, b := range module.order {
		f.Globals = append(f.Globals, b.name)
		f.Export = append(f.Export, b.data && !b.other)
	}
	f.HasReturn = r.hasReturn
}

type resolver struct {
	p         *parser
	scope     *scope
	hasReturn bool
}

func (r *resolver) missing(n *Name) {
	if r.p.opts.Forbidden == nil {
		return
	}
	if hint := r.p.opts.Forbidden(n.Ident); hint != "" {
		r.p.errs.add(n.Pos, hint, "%s is not supported by the embedded Python", n.Ident)
	}
}

func (r *resolver) walk(n any) { //nolint:cyclop // one case for each kind of node
	switch n := n.(type) {
	case *Name:
		r.scope.uses = append(r.scope.uses, n)
	case *Assign:
		r.walk(n.Value)
		for _, t := range n.Targets {
			r.target(t, true)
		}
	case *AugAssign:
		r.walk(n.Value)
		r.target(n.Target, true)
	case *For:
		r.walk(n.Iter)
		r.target(n.Target, false)
		r.walkAll(n.Body)
		r.walkAll(n.Else)
	case *Del:
		for _, t := range n.Targets {
			r.target(t, true)
		}
	case *Import:
		r.bindName(n.Name, false)
	case *Declare:
		r.declare(n)
	case *Walrus:
		r.walrus(n)
	case *Return:
		r.hasReturn = r.hasReturn || r.scope.module()
		Children(n, r.walk)
	case *Def:
		r.bindName(n.Name, false)
		r.function(n.Func)
	case *Lambda:
		r.function(n.Func)
	case *Comp:
		r.comprehension(n)
	default:
		Children(n, r.walk)
	}
}

func (r *resolver) walkAll(ss []Stmt) {
	for _, s := range ss {
		r.walk(s)
	}
}

// bindName makes a name a variable of the scope.
func (r *resolver) bindName(n *Name, data bool) {
	b := r.scope.bind(n.Ident)
	if b.scope != nil && b.scope.module() && r.p.opts.Fixed != nil {
		if hint := r.p.opts.Fixed(n.Ident); hint != "" {
			r.p.errs.add(n.Pos, hint, "%s cannot be replaced", n.Ident)
		}
	}
	b.data = b.data || data
	b.other = b.other || !data
	r.scope.uses = append(r.scope.uses, n)
}

// target binds the names of an assignment's target.
func (r *resolver) target(x Expr, data bool) {
	switch x := x.(type) {
	case *Name:
		r.bindName(x, data)
	case *Starred:
		r.target(x.X, data)
	case *Display:
		for _, e := range x.Elts {
			r.target(e, data)
		}
	default:
		r.walk(x)
	}
}

// walrus binds in the function around a comprehension.
func (r *resolver) walrus(n *Walrus) {
	r.walk(n.Value)
	s := r.scope
	for s.comp {
		if s.names[n.Target.Ident] != nil {
			r.p.errs.add(n.Pos, "", "assignment expression cannot rebind comprehension iteration variable '%s'", n.Target.Ident)
		}
		s = s.parent
	}
	s.bind(n.Target.Ident).data = true
	r.scope.uses = append(r.scope.uses, n.Target)
}

func (r *resolver) declare(n *Declare) {
	word := "nonlocal"
	if n.Global {
		word = "global"
	}
	for _, name := range n.Names {
		id := name.Ident
		if b := r.scope.names[id]; b != nil && !r.scope.module() {
			what := "assigned to"
			if b.param {
				what = "a parameter"
			}
			r.p.errs.add(name.Pos, "", "name '%s' is %s before %s declaration", id, what, word)
			continue
		}
		switch {
		case r.scope.module():
			if !n.Global {
				r.p.errs.add(name.Pos, "", "nonlocal declaration not allowed at module level")
			}
		case n.Global || !r.enclosing(id):
			// A block with a return is a function to those who write it: what is
			// nonlocal then is at the top level here.
			r.scope.globals = put(r.scope.globals, id)
			r.scope.root().bind(id)
		default:
			r.scope.nonlocals = put(r.scope.nonlocals, id)
		}
	}
}

// enclosing tells whether a function around this one binds the name.
func (r *resolver) enclosing(name string) bool {
	for s := r.scope.parent; s != nil && !s.module(); s = s.parent {
		if s.names[name] != nil {
			return true
		}
	}
	return false
}

func put(m map[string]bool, k string) map[string]bool {
	if m == nil {
		m = map[string]bool{}
	}
	m[k] = true
	return m
}

func (r *resolver) function(f *Func) {
	for _, p := range f.Params {
		if p.Default != nil {
			r.walk(p.Default)
		}
	}
	outer := r.scope
	r.scope = newScope(outer, &f.Code)
	for _, p := range f.Params {
		if r.scope.names[p.Name.Ident] != nil {
			r.p.errs.add(p.Name.Pos, "", "duplicate argument '%s' in function definition", p.Name.Ident)
		}
		r.scope.bind(p.Name.Ident).param = true
		r.scope.uses = append(r.scope.uses, p.Name)
	}
	r.walkAll(f.Body)
	if f.Expr != nil {
		r.walk(f.Expr)
	}
	r.scope = outer
}

func (r *resolver) comprehension(c *Comp) {
	r.walk(c.First)
	outer := r.scope
	r.scope = newScope(outer, &c.Code)
	r.scope.comp = true
	for _, cl := range c.Clauses {
		if cl.Iter != nil {
			r.walk(cl.Iter)
		}
		r.target(cl.Target, false)
		for _, cond := range cl.Conds {
			r.walk(cond)
		}
	}
	r.walk(c.Elt)
	if c.Value != nil {
		r.walk(c.Value)
	}
	r.scope = outer
}
