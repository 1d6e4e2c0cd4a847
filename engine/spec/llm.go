package spec

import (
	"slices"

	"github.com/tea-agents/tea/actions"
)

// OfOneCall tells whether a parameter of a model's action belongs to a single
// call, and so makes no sense under `settings.llm`.
func OfOneCall(name string) bool {
	return slices.Contains([]string{"messages", "prompt", "input", "texts", "tools", "text"}, name)
}

// ModelParameters returns the parameters that `settings.llm` may set, each with
// the first action, by name, that declares it: those of every action that asks
// a model, without those of a single call.
func ModelParameters(r *actions.Registry) map[string]actions.Action {
	parameters := map[string]actions.Action{}
	for _, a := range r.All() {
		if !a.Spec().Model {
			continue
		}
		for _, name := range a.Input().Names() {
			if _, known := parameters[name]; !known && !OfOneCall(name) {
				parameters[name] = a
			}
		}
	}
	return parameters
}
