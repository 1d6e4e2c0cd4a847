package syntax

// scope is the names of the module, a function or a comprehension.
type scope struct {
	parent    *scope
	comp      bool // of a comprehension
	names     map[string]*binding
	order     []*binding
	globals   map[string]bool // declared global (or nonlocal at the top level)
	nonlocals map[string]bool
	code      *Code
	uses      []*Name
	free      []*binding
	inner     []*scope
}

// binding is a variable.
type binding struct {
	scope    *scope
	name     string
	captured bool // used by an inner function
	param    bool
	index    int
	data     bool // bound by assignment
	other    bool // bound as a loop variable, function or module
}

func newScope(parent *scope, code *Code) *scope {
	s := &scope{parent: parent, code: code, names: map[string]*binding{}}
	if parent != nil {
		parent.inner = append(parent.inner, s)
	}
	return s
}

func (s *scope) module() bool { return s.parent == nil }

func (s *scope) root() *scope {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// bind makes name a variable of the scope, unless it is declared otherwise.
func (s *scope) bind(name string) *binding {
	switch {
	case s.nonlocals[name]:
		return &binding{}
	case s.globals[name]:
		return s.root().bind(name)
	}
	b := s.names[name]
	if b == nil {
		b = &binding{scope: s, name: name}
		s.names[name] = b
		s.order = append(s.order, b)
	}
	return b
}

// lookup finds the variable that a name stands for, or nil; functions on the
// way take it over.
func (s *scope) lookup(name string) *binding {
	if s.globals[name] {
		return s.root().names[name]
	}
	if b := s.names[name]; b != nil {
		return b
	}
	if s.parent == nil {
		return nil
	}
	b := s.parent.lookup(name)
	if b != nil && !b.scope.module() {
		b.captured = true
		s.takeOver(b)
	}
	return b
}

func (s *scope) takeOver(b *binding) {
	for _, f := range s.free {
		if f == b {
			return
		}
	}
	s.free = append(s.free, b)
}

// settle finds the variable of every name used here and inside.
func (s *scope) settle(missing func(*Name), found map[*Name]*binding) {
	for _, n := range s.uses {
		if b := s.lookup(n.Ident); b != nil {
			found[n] = b
		} else {
			missing(n)
		}
	}
	for _, in := range s.inner {
		in.settle(missing, found)
	}
}

// allocate gives every variable its place, once it is known which are shared.
func (s *scope) allocate(found map[*Name]*binding) {
	if s.code != nil {
		for _, b := range s.order {
			switch {
			case b.captured:
				b.index = len(s.code.Own)
				slot := -1
				if b.param {
					slot = s.code.Slots
					s.code.Slots++
				}
				s.code.Own = append(s.code.Own, slot)
			default:
				b.index = s.code.Slots
				s.code.Slots++
			}
		}
		for _, b := range s.free {
			s.code.Free = append(s.code.Free, s.parent.cell(b))
		}
	} else {
		for i, b := range s.order {
			b.index = i
		}
	}
	for _, n := range s.uses {
		if b := found[n]; b != nil {
			n.Ref = s.ref(b)
		}
	}
	for _, in := range s.inner {
		in.allocate(found)
	}
}

// cell is the index of a captured variable among the cells of the scope.
func (s *scope) cell(b *binding) int {
	if b.scope == s {
		return b.index
	}
	for i, f := range s.free {
		if f == b {
			return len(s.code.Own) + i
		}
	}
	return -1
}

func (s *scope) ref(b *binding) Ref {
	switch {
	case b.scope.module():
		return Ref{Kind: Global, Index: b.index}
	case b.captured:
		return Ref{Kind: Cell, Index: s.cell(b)}
	}
	return Ref{Kind: Local, Index: b.index}
}
