package python

import (
	"math"
	"strings"

	"github.com/tea-agents/tea/actions/run/python/interp"
	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/value"
)

// updater finds out what a run changes in the state.
type updater struct {
	p   *Program
	t   *object.Thread
	run *interp.Run
}

func (u *updater) update(before value.Value, state *object.Dict, result object.Object) (value.Value, error) {
	changed, err := u.changed(before, state)
	if err != nil {
		return value.Value{}, err
	}
	var over value.Value
	if u.p.file.HasReturn {
		over, err = u.returned(result)
	} else {
		over, err = u.names()
	}
	if err != nil {
		return value.Value{}, err
	}
	return value.Object(changed...).Merge(over), nil
}

// changed gives the keys of the state that are not what they were.
func (u *updater) changed(before value.Value, state *object.Dict) ([]value.Member, error) {
	if _, untouched := object.Untouched(state); untouched {
		return nil, nil
	}
	var out []value.Member
	kept := make(map[string]struct{}, state.Len())
	for k, o := range state.All() {
		name, ok := object.JSONKey(k)
		if !ok {
			return nil, object.Errorf("TypeError", "a key of the state is a %s, not a string", k.TypeName())
		}
		if _, dup := kept[name]; dup {
			return nil, object.Errorf("ValueError", "two keys of the state are both %q in JSON", name)
		}
		kept[name] = struct{}{}
		old, had := before.Get(name)
		if _, untouched := object.Untouched(o); untouched && had {
			if v, _ := object.Untouched(o); value.Equal(v, old) {
				continue
			}
		}
		v, err := object.ToValue(u.t, o, "state key `"+name+"`")
		if err != nil {
			return nil, err
		}
		if !had || !value.Equal(v, old) {
			out = append(out, value.M(name, v))
		}
	}
	for name := range before.Members() {
		if _, ok := kept[name]; !ok {
			out = append(out, value.M(name, value.Null()))
		}
	}
	return out, nil
}

// returned makes the update of a returned value.
func (u *updater) returned(result object.Object) (value.Value, error) {
	if object.IsNone(result) {
		return value.Object(), nil
	}
	d, ok := result.(*object.Dict)
	if !ok {
		v, err := object.ToValue(u.t, result, "the returned value")
		return value.Object(value.M("result", v)), err
	}
	if v, untouched := object.Untouched(d); untouched {
		return v, nil
	}
	members := make([]value.Member, 0, d.Len())
	seen := make(map[string]struct{}, d.Len())
	for k, o := range d.All() {
		name, ok := object.JSONKey(k)
		if !ok {
			return value.Value{}, object.Errorf("TypeError", "a key of the returned dict is a %s, not a string", k.TypeName())
		}
		if _, dup := seen[name]; dup {
			return value.Value{}, object.Errorf("ValueError", "two keys of the returned dict are both %q in JSON", name)
		}
		seen[name] = struct{}{}
		v, err := object.ToValue(u.t, o, "state key `"+name+"`")
		if err != nil {
			return value.Value{}, err
		}
		members = append(members, value.M(name, v))
	}
	return value.Object(members...), nil
}

// names makes the update of code without a return statement.
func (u *updater) names() (value.Value, error) {
	var members []value.Member
	for i, name := range u.p.file.Globals {
		o := u.run.Global(i)
		if o == nil || !u.p.file.Export[i] || strings.HasPrefix(name, "_") || !isData(o) {
			continue
		}
		v, err := object.ToValue(u.t, o, "state key `"+name+"`")
		if err != nil {
			return value.Value{}, err
		}
		members = append(members, value.M(name, v))
	}
	return value.Object(members...), nil
}

// isData tells whether a name that holds o becomes a key of the state. What is
// plainly a tool of the code (a function, a set, a date) does not. NaN does, to
// be an error.
func isData(o object.Object) bool {
	switch o := o.(type) {
	case object.NoneType, object.Bool, object.Int, *object.Big, *object.Str, *object.Dict, *object.Tuple, *object.SecretText:
		return true
	case object.Float:
		return !math.IsInf(float64(o), 0)
	case *object.List:
		return true
	}
	return false
}
