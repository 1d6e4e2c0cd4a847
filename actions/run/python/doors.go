package python

import (
	"slices"
	"strings"

	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// secrets is the variable of that name.
type secrets struct {
	lookup func(name string) (string, error)
	names  []string
}

// TypeName implements object.Object.
func (*secrets) TypeName() string { return "secrets" }

// Repr implements object.Reprer.
func (*secrets) Repr(*object.Thread) (string, error) { return "<secrets>", nil }

func (s *secrets) known(name string) bool { return slices.Contains(s.names, name) }

// GetItem implements object.Getter.
func (s *secrets) GetItem(t *object.Thread, key object.Object) (object.Object, error) {
	name, ok := object.AsStr(key)
	if !ok {
		return nil, object.TypeErrorf("the name of a secret must be a string, not %s", key.TypeName())
	}
	if s.lookup == nil || len(s.names) > 0 && !s.known(name) {
		return nil, s.unknown(name)
	}
	text, err := s.lookup(name)
	if err != nil {
		e := object.Errorf("KeyError", "secret %q: %v", name, err)
		e.Cause = err
		return nil, e
	}
	return t.Str(text)
}

func (s *secrets) unknown(name string) error {
	e := &object.Exception{Kind: "KeyError", Args: []object.Object{object.NewStr("there is no secret named " + name)}}
	if len(s.names) == 0 {
		return e.WithHint("this agent has no secrets: list the names under `secrets`")
	}
	if near := diag.Suggest(name, s.names); near != "" {
		return e.WithHint("did you mean %s? Known: %s", near, strings.Join(s.names, ", "))
	}
	return e.WithHint("known: %s", strings.Join(s.names, ", "))
}

// Contains is name in secrets.
func (s *secrets) Contains(_ *object.Thread, key object.Object) (bool, error) {
	name, _ := object.AsStr(key)
	return s.known(name), nil
}

// Attr implements object.Attributer: secrets.get(name, default).
func (s *secrets) Attr(_ *object.Thread, name string) (object.Object, bool, error) {
	if name != "get" {
		return nil, false, nil
	}
	return &object.Builtin{Name: "get", Fn: func(t *object.Thread, a object.Args) (object.Object, error) {
		var key, missing object.Object
		if err := a.Bind("get", "name default? /", &key, &missing); err != nil {
			return nil, err
		}
		if name, _ := object.AsStr(key); missing != nil && !s.known(name) {
			return missing, nil
		}
		return s.GetItem(t, key)
	}}, true, nil
}

// AttrNames implements object.AttrNamer.
func (*secrets) AttrNames() []string { return []string{"get"} }

// actions is the variable of that name.
type actions struct{ run ActionFunc }

// TypeName implements object.Object.
func (*actions) TypeName() string { return "actions" }

// Repr implements object.Reprer.
func (*actions) Repr(*object.Thread) (string, error) { return "<actions>", nil }

// Call is actions("name", {...}), the arguments also by keyword.
func (x *actions) Call(t *object.Thread, a object.Args) (object.Object, error) {
	var name, given object.Object
	if err := (object.Args{Pos: a.Pos}).Bind("actions", "name args? /", &name, &given); err != nil {
		return nil, err
	}
	return x.invoke(t, name, given, a.Kw)
}

// GetItem implements object.Getter: actions["name"](k=v).
func (x *actions) GetItem(_ *object.Thread, name object.Object) (object.Object, error) {
	if _, ok := object.AsStr(name); !ok {
		return nil, object.TypeErrorf("the name of an action must be a string, not %s", name.TypeName())
	}
	return &object.Builtin{Name: "action", Fn: func(t *object.Thread, a object.Args) (object.Object, error) {
		var given object.Object
		if err := (object.Args{Pos: a.Pos}).Bind("an action", "args? /", &given); err != nil {
			return nil, err
		}
		return x.invoke(t, name, given, a.Kw)
	}}, nil
}

func (x *actions) invoke(t *object.Thread, name, given object.Object, kw []object.Kwarg) (object.Object, error) {
	action, ok := object.AsStr(name)
	if !ok {
		return nil, object.TypeErrorf("the name of an action must be a string, not %s", name.TypeName())
	}
	if x.run == nil {
		return nil, object.Errorf("RuntimeError", "actions cannot be called here")
	}
	args := object.NewDict("dict")
	if !object.IsNone(given) {
		d, ok := given.(*object.Dict)
		if !ok {
			return nil, object.TypeErrorf("the arguments of an action must be a dict, not %s", given.TypeName())
		}
		if err := args.Update(t, d); err != nil {
			return nil, err
		}
	}
	if err := args.Fill(t, object.Args{Kw: kw}); err != nil {
		return nil, err
	}
	in, err := object.ToValue(t, args, "arguments of "+action)
	if err != nil {
		return nil, err
	}
	out, err := x.run(t.Context(), action, in)
	if err != nil {
		e := object.Errorf("RuntimeError", "action %s failed: %v", action, err)
		e.Cause = err
		return nil, e
	}
	return result(t, out)
}

// result makes a Python value of an action's result.
func result(t *object.Thread, v value.Value) (object.Object, error) {
	return object.FromValue(v), t.Alloc(int64(64 * (1 + v.Len())))
}
