package syntax

// Children calls visit for every expression and statement directly below n,
// which is an Expr or a Stmt, in the order of the source. Names that are bound
// (parameters, functions, imports) are among them. Nil parts are left out.
func Children(n any, visit func(any)) {
	v := visitor(visit)
	if !v.expr(n) {
		v.stmt(n)
	}
}

type visitor func(any)

func (v visitor) one(xs ...Expr) {
	for _, x := range xs {
		if x != nil {
			v(x)
		}
	}
}

func (v visitor) body(ss []Stmt) {
	for _, s := range ss {
		v(s)
	}
}

func (v visitor) expr(n any) bool { //nolint:cyclop // one case for each kind of expression
	switch n := n.(type) {
	case *Const, *Name:
	case *FString:
		v.parts(n.Parts)
	case *Unary:
		v.one(n.X)
	case *Binary:
		v.one(n.L, n.R)
	case *Logic:
		v.one(n.Xs...)
	case *Compare:
		v.one(n.First)
		v.one(n.Rest...)
	case *IfExpr:
		v.one(n.Then, n.Cond, n.Else)
	case *Call:
		v.one(n.Func)
		for _, a := range n.Args {
			v.one(a.X)
		}
	case *Attribute:
		v.one(n.X)
	case *Subscript:
		v.one(n.X, n.Index)
	case *SliceExpr:
		v.one(n.Lo, n.Hi, n.Step)
	case *Display:
		v.one(n.Elts...)
	case *DictExpr:
		for i := range n.Keys {
			v.one(n.Keys[i], n.Values[i])
		}
	case *Starred:
		v.one(n.X)
	case *Lambda:
		v.fn(n.Func)
	case *Comp:
		v.one(n.First)
		for _, c := range n.Clauses {
			v.one(c.Target, c.Iter)
			v.one(c.Conds...)
		}
		v.one(n.Elt, n.Value)
	case *Walrus:
		v.one(n.Value, n.Target)
	default:
		return false
	}
	return true
}

func (v visitor) parts(parts []FPart) {
	for _, p := range parts {
		v.one(p.X)
		v.parts(p.Spec)
	}
}

func (v visitor) fn(f *Func) {
	for _, p := range f.Params {
		v.one(p.Default)
		v(p.Name)
	}
	v.body(f.Body)
	v.one(f.Expr)
}

func (v visitor) stmt(n any) {
	switch n := n.(type) {
	case *ExprStmt:
		v.one(n.X)
	case *Assign:
		v.one(n.Value)
		v.one(n.Targets...)
	case *AugAssign:
		v.one(n.Value, n.Target)
	case *Return:
		v.one(n.X)
	case *If:
		v.one(n.Cond)
		v.body(n.Then)
		v.body(n.Else)
	case *While:
		v.one(n.Cond)
		v.body(n.Body)
		v.body(n.Else)
	case *For:
		v.one(n.Iter, n.Target)
		v.body(n.Body)
		v.body(n.Else)
	case *Def:
		v(n.Name)
		v.fn(n.Func)
	case *Import:
		v(n.Name)
	case *Del:
		v.one(n.Targets...)
	case *Raise:
		v.one(n.X, n.From)
	case *Assert:
		v.one(n.Cond, n.Msg)
	}
}
