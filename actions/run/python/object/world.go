package object

// Method is a method of a built-in type.
type Method struct {
	Name string
	Fn   func(t *Thread, self Object, a Args) (Object, error)
}

// on makes a method of functions that know the type of their receiver.
func on[T Object](name string, fn func(t *Thread, self T, a Args) (Object, error)) Method {
	return Method{Name: name, Fn: func(t *Thread, self Object, a Args) (Object, error) {
		x, ok := self.(T)
		if !ok {
			return nil, TypeErrorf("descriptor '%s' doesn't apply to a '%s' object", name, self.TypeName())
		}
		return fn(t, x, a)
	}}
}

// On makes a method of a host module's type.
func On[T Object](name string, fn func(t *Thread, self T, a Args) (Object, error)) Method {
	return on(name, fn)
}

// World is what every program sees: builtins, types with their methods,
// modules. It is immutable once made and shared by all runs.
type World struct {
	builtins map[string]Object
	methods  map[string]map[string]Method
	modules  map[string]func() *Module
}

// NewWorld makes a world of the methods of the built-in types, with nothing
// else in it.
func NewWorld() *World {
	w := &World{builtins: map[string]Object{}, methods: map[string]map[string]Method{}, modules: map[string]func() *Module{}}
	w.AddMethods("str", strMethods()...)
	w.AddMethods("bytes", bytesMethods()...)
	w.AddMethods("list", listMethods()...)
	w.AddMethods("tuple", tupleMethods()...)
	w.AddMethods("dict", dictMethods()...)
	w.AddMethods("set", setMethods()...)
	w.AddMethods("frozenset", frozensetMethods()...)
	w.AddMethods("int", intMethods()...)
	w.AddMethods("float", floatMethods()...)
	w.AddMethods("range", rangeMethods()...)
	return w
}

// AddMethods gives methods to a type.
func (w *World) AddMethods(typeName string, ms ...Method) {
	table := w.methods[typeName]
	if table == nil {
		table = make(map[string]Method, len(ms))
		w.methods[typeName] = table
	}
	for _, m := range ms {
		table[m.Name] = m
	}
}

// AddBuiltin puts a name in the scope of all programs.
func (w *World) AddBuiltin(name string, o Object) { w.builtins[name] = o }

// AddModule makes a module known to import; make must be safe for concurrent
// use.
func (w *World) AddModule(name string, make func() *Module) { w.modules[name] = make }

// Builtin returns the builtin of that name, or nil.
func (w *World) Builtin(name string) Object { return w.builtins[name] }

// BuiltinNames lists the builtins, in no order.
func (w *World) BuiltinNames() []string { return mapKeys(w.builtins) }

// Module returns the module of that name, or nil.
func (w *World) Module(name string) *Module {
	if mk := w.modules[name]; mk != nil {
		return mk()
	}
	return nil
}

// ModuleNames lists the modules, in no order.
func (w *World) ModuleNames() []string { return mapKeys(w.modules) }

// Method finds a method of a type or of the types it derives from.
func (w *World) Method(typeName, name string) (Method, bool) {
	for typeName != "" {
		if m, ok := w.methods[typeName][name]; ok {
			return m, true
		}
		typeName = baseOf(typeName)
	}
	return Method{}, false
}

// methodNames lists the methods of a type and those it derives from.
func (w *World) methodNames(typeName string) []string {
	var names []string
	for typeName != "" {
		names = append(names, mapKeys(w.methods[typeName])...)
		typeName = baseOf(typeName)
	}
	return names
}

func mapKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// baseOf names the type from which a built-in type derives, "" for none.
func baseOf(typeName string) string {
	switch typeName {
	case "bool":
		return "int"
	case "Counter", "defaultdict", "OrderedDict":
		return "dict"
	case "datetime.datetime":
		return "datetime.date"
	case "BaseException", "object":
		return ""
	case "Exception":
		return "BaseException"
	case "IndexError", "KeyError":
		return "LookupError"
	case "OverflowError", "ZeroDivisionError":
		return "ArithmeticError"
	case "RecursionError", "NotImplementedError":
		return "RuntimeError"
	case "UnicodeError", "JSONDecodeError", "StatisticsError":
		return "ValueError"
	case "UnicodeDecodeError", "UnicodeEncodeError":
		return "UnicodeError"
	case "FileNotFoundError", "PermissionError", "ConnectionError", "TimeoutError":
		return "OSError"
	}
	if isExceptionName(typeName) {
		return "Exception"
	}
	return ""
}

func isExceptionName(name string) bool {
	n := len(name)
	return n > 5 && (name[n-5:] == "Error" || name == "StopIteration")
}

// InstanceOf tells whether o is of the named type or of one derived from it.
func InstanceOf(o Object, typeName string) bool {
	if typeName == "object" {
		return true
	}
	name := o.TypeName()
	if n, ok := o.(*Tuple); ok && n.typ != nil && typeName == "tuple" {
		return true
	}
	for ; name != ""; name = baseOf(name) {
		if name == typeName {
			return true
		}
	}
	return false
}

// Derives tells whether one type is another or derives from it.
func Derives(name, from string) bool {
	for ; name != ""; name = baseOf(name) {
		if name == from {
			return true
		}
	}
	return from == "object"
}
