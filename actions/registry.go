package actions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
)

// Registry finds actions by name. It is immutable and safe for concurrent use.
type Registry struct {
	actions []Action       // sorted by name
	index   map[string]int // both forms of every name
}

// NewRegistry returns a registry of the given actions. The error names every
// malformed declaration and every pair of actions that share a name, in either
// form, at once.
func NewRegistry(actions ...Action) (*Registry, error) {
	r := &Registry{actions: slices.Clone(actions), index: map[string]int{}}
	slices.SortStableFunc(r.actions, func(a, b Action) int { return strings.Compare(a.spec.Name, b.spec.Name) })
	var errs []error
	for i, a := range r.actions {
		name := a.spec.Name
		if a.body == nil {
			errs = append(errs, fmt.Errorf("action %q was not made by Define", name))
			continue
		}
		if a.err != nil {
			errs = append(errs, a.err)
		}
		if other, taken := r.index[alias(name)]; taken {
			errs = append(errs, collision(r.actions[other].spec.Name, name))
			continue
		}
		r.index[name], r.index[alias(name)] = i, i
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return r, nil
}

func collision(a, b string) error {
	if a == b {
		return fmt.Errorf("action %q is declared twice", a)
	}
	return fmt.Errorf("actions %q and %q share the name %q", a, b, alias(a))
}

// Lookup returns the action called name, in either form: "cache.wrap" or
// "actions.cache_wrap", "log" or "actions.log".
func (r *Registry) Lookup(name string) (Action, bool) {
	i, ok := r.index[name]
	if !ok {
		return Action{}, false
	}
	return r.actions[i], true
}

// All returns the actions, sorted by name.
func (r *Registry) All() []Action { return slices.Clone(r.actions) }

// Names returns the canonical names, sorted.
func (r *Registry) Names() []string {
	names := make([]string, len(r.actions))
	for i, a := range r.actions {
		names[i] = a.spec.Name
	}
	return names
}

// Suggest returns the name that an unknown one is most likely a slip for, in
// the form that it has, or "".
func (r *Registry) Suggest(name string) string {
	return diag.Suggest(name, r.namesLike(name))
}

// namesLike returns all names in the form that name has.
func (r *Registry) namesLike(name string) []string {
	names := r.Names()
	if strings.HasPrefix(name, aliasPrefix) {
		for i := range names {
			names[i] = alias(names[i])
		}
	}
	return names
}

// unknown says that there is no such action.
func (r *Registry) unknown(name string) string {
	text := fmt.Sprintf("unknown action %q", name)
	if hint := diag.DidYouMean(name, r.namesLike(name)); hint != "" {
		text += " (" + hint + ")"
	}
	return text
}
