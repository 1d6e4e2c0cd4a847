package actions

import (
	"fmt"
	"regexp"
	"strings"
)

// Effect says what an action does to the world; it tells cache and recorder
// what is safe.
type Effect uint8

// The effects.
const (
	Read    Effect = iota // looks at the world outside; changes nothing that counts
	Pure                  // depends on its input alone
	Write                 // changes something outside
	Compose               // works by invoking other actions; sees secrets unresolved
)

// String names the effect in lower case.
func (e Effect) String() string {
	if int(e) >= len(effectNames) {
		return fmt.Sprintf("effect(%d)", uint8(e))
	}
	return effectNames[e]
}

var effectNames = [...]string{"read", "pure", "write", "compose"} //nolint:gochecknoglobals // a constant table

// Spec is what an action says about itself.
type Spec struct {
	// Name has dot-separated segments of lower-case letters, digits and
	// underscores: "cache.wrap", "log". The segment "actions" cannot come first.
	Name string
	// Version is part of every cache key: at least 1, and raised whenever the
	// meaning of the action changes.
	Version int
	// Summary is one sentence with a final point.
	Summary string
	// Doc is what more there is to say, in Markdown; "" if nothing.
	Doc string
	// Effect is Read unless said otherwise.
	Effect Effect
	// Outward tells that the action talks to the network, so that a recording
	// takes its calls by default.
	Outward bool
	// Model tells that the action asks a language model, by itself or through
	// other actions: the agent's settings.llm are defaults of its parameters,
	// and if its effect is Read, the LLM response cache may answer for it.
	Model bool
	// Keeps tells that what the action is given outlives the run: secrets in
	// its input are refused.
	Keeps bool
	// Examples are shown in the documentation and run in its tests.
	Examples []Example
}

// Example is a runnable piece of an agent.
type Example struct {
	// Title says what is shown.
	Title string
	// YAML is a whole agent, or what stands under its nodes key: a list of
	// nodes of which at least one uses the action.
	YAML string
	// Output is the final state as JSON, or "" where it varies.
	Output string
}

var validName = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`)

const aliasPrefix = "actions."

// alias is the second name of an action (dual namespace): "cache.wrap" is also
// "actions.cache_wrap".
func alias(name string) string {
	return aliasPrefix + strings.ReplaceAll(name, ".", "_")
}

// check returns what is wrong with the spec.
func (s Spec) check() []error {
	var errs []error
	wrong := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("action %q: "+format, append([]any{s.Name}, args...)...))
	}
	if !validName.MatchString(s.Name) {
		wrong("the name must be lower-case words joined by dots, such as \"cache.wrap\"")
	}
	if s.Name == "actions" || strings.HasPrefix(s.Name, aliasPrefix) {
		wrong("names that begin with \"actions\" are reserved for the second form of every name")
	}
	if s.Version < 1 {
		wrong("the version must be at least 1, got %d", s.Version)
	}
	if int(s.Effect) >= len(effectNames) {
		wrong("unknown effect %d", s.Effect)
	}
	return errs
}
