package object

import "strings"

// Module is an imported module. It is immutable.
type Module struct {
	Name    string
	Members map[string]Object
}

// TypeName implements Object.
func (*Module) TypeName() string { return "module" }

// Repr implements Reprer.
func (m *Module) Repr(*Thread) (string, error) { return "<module '" + m.Name + "'>", nil }

// HashKey implements Hasher.
func (m *Module) HashKey() Key { return HostKey("module", m.Name) }

// Attr implements Attributer.
func (m *Module) Attr(_ *Thread, name string) (Object, bool, error) {
	if v, ok := m.Members[name]; ok {
		return v, true, nil
	}
	if name == "__name__" {
		return NewStr(m.Name), true, nil
	}
	return nil, false, nil
}

// AttrNames implements AttrNamer.
func (m *Module) AttrNames() []string { return mapKeys(m.Members) }

// GetAttr is x.name.
func GetAttr(t *Thread, x Object, name string) (Object, error) {
	v, ok, err := lookupAttr(t, x, name)
	if ok || err != nil {
		return v, err
	}
	return nil, attributeError(t, x, name)
}

func lookupAttr(t *Thread, x Object, name string) (Object, bool, error) {
	if a, ok := x.(Attributer); ok {
		if v, ok, err := a.Attr(t, name); ok || err != nil {
			return v, ok, err
		}
	}
	if m, ok := t.World.Method(x.TypeName(), name); ok {
		return &Bound{Self: x, Method: m}, true, nil
	}
	switch x := x.(type) {
	case *Tuple:
		if m, ok := t.World.Method("tuple", name); ok {
			return &Bound{Self: x, Method: m}, true, nil
		}
	case Type:
		return typeAttr(t, x, name)
	}
	if name == "__class__" {
		return TypeOf(x), true, nil
	}
	v, ok := numberAttr(x, name)
	return v, ok, nil
}

func typeAttr(t *Thread, typ Type, name string) (Object, bool, error) {
	if name == "__name__" || name == "__qualname__" {
		return NewStr(shortName(string(typ))), true, nil
	}
	if v := t.World.Builtin("type " + string(typ) + "." + name); v != nil {
		return v, true, nil
	}
	if m, ok := t.World.Method(string(typ), name); ok {
		return &Unbound{Type: string(typ), Method: m}, true, nil
	}
	return nil, false, nil
}

func numberAttr(x Object, name string) (Object, bool) { //nolint:cyclop // a table of attributes
	switch x := x.(type) {
	case Int, Bool, *Big:
		i, _ := integer(x)
		switch name {
		case "real", "numerator":
			return i, true
		case "imag":
			return Int(0), true
		case "denominator":
			return Int(1), true
		}
	case Float:
		switch name {
		case "real":
			return x, true
		case "imag":
			return Float(0), true
		}
	case *Range:
		switch name {
		case "start":
			return Int(x.Start), true
		case "stop":
			return Int(x.Stop), true
		case "step":
			return Int(x.Step), true
		}
	case *List:
		if name == "maxlen" && x.deque {
			if x.max == 0 {
				return None(), true
			}
			return Int(x.max), true
		}
	}
	return nil, false
}

// FindMethod finds the method that x.name is, without making a bound method.
func FindMethod(t *Thread, x Object, name string) (Method, bool) {
	if _, ok := x.(Attributer); ok {
		return Method{}, false
	}
	return t.World.Method(x.TypeName(), name)
}

// HasAttr is hasattr(x, name).
func HasAttr(t *Thread, x Object, name string) (bool, error) {
	_, ok, err := lookupAttr(t, x, name)
	return ok, err
}

func attributeError(t *Thread, x Object, name string) error {
	typ := x.TypeName()
	if m, ok := x.(*Module); ok {
		return Errorf("AttributeError", "module '%s' has no attribute '%s'", m.Name, name).suggest(name, m.AttrNames())
	}
	e := Errorf("AttributeError", "'%s' object has no attribute '%s'", typ, name)
	if typ2, ok := x.(Type); ok {
		e = Errorf("AttributeError", "type object '%s' has no attribute '%s'", shortName(string(typ2)), name)
	}
	if d, ok := x.(*Dict); ok && d.GetStr(name) != nil {
		return e.WithHint("a dict's keys are not attributes: write [%q] or .get(%q)", name, name)
	}
	names := t.World.methodNames(typ)
	if n, ok := x.(AttrNamer); ok {
		names = append(names, n.AttrNames()...)
	}
	e = e.suggest(name, names)
	if _, ok := x.(*Dict); ok && e.Hint == "" {
		e = e.WithHint("a dict's keys are not attributes: write [%q] or .get(%q)", name, name)
	}
	return e
}

// TypeOf is type(x).
func TypeOf(x Object) Object {
	if u, ok := x.(*Tuple); ok && u.typ != nil {
		return u.typ
	}
	return Type(x.TypeName())
}

// shortName is the last part of a dotted name.
func shortName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// SetAttr is x.name = v, which no type allows.
func SetAttr(_ *Thread, x Object, name string, _ Object) error {
	e := Errorf("AttributeError", "'%s' object has no attribute '%s'", x.TypeName(), name)
	if _, ok := x.(*Dict); ok {
		return e.WithHint("a dict's keys are not attributes: write [%q] = ...", name)
	}
	return e
}
