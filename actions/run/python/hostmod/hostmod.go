package hostmod

import (
	"sync"

	"github.com/tea-agents/tea/actions/run/python/object"
)

type (
	obj    = object.Object
	thread = object.Thread
	args   = object.Args
	fn     = func(t *object.Thread, a object.Args) (object.Object, error)
)

// Add makes the modules known to a world, with the methods of their types.
func Add(w *object.World) {
	for name, mk := range map[string]func() *object.Module{
		"math": mathModule,
	} {
		w.AddModule(name, sync.OnceValue(mk))
	}
}

// DynamicNames lists the names that a module makes for each run anew.
func DynamicNames(string) []string { return nil }

// module makes a module of functions and other members.
func module(name string, fns map[string]fn, members map[string]obj) *object.Module {
	m := &object.Module{Name: name, Members: make(map[string]obj, len(fns)+len(members))}
	for n, f := range fns {
		m.Members[n] = &object.Builtin{Name: n, Fn: f}
	}
	for n, o := range members {
		m.Members[n] = o
	}
	return m
}
