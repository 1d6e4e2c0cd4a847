package llmactions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

// tool is something that the model may call.
type tool struct {
	name, description string
	parameters        value.Value
	action            string // what it is called by
	// input turns the model's arguments into the action's input, or says what is
	// wrong with them.
	input func(arguments value.Value) (value.Value, error)
	// call carries out a call.
	call func(ctx context.Context, env actions.Env, input value.Value) (value.Value, error)
}

// toolset is all that the model may call.
type toolset struct {
	tools  []*tool // in the order of the list
	byName map[string]*tool
}

// entry is an element of the parameter tools that is more than a name.
type entry struct {
	Action      string                 `json:"action,omitempty" doc:"Name of the action."`
	Name        string                 `json:"name,omitempty" doc:"Name for the model."`
	Description string                 `json:"description,omitempty" doc:"What the model is told of it."`
	With        map[string]value.Value `json:"with,omitempty" doc:"Parameters that are fixed, and that the model does not see."`
	MCP         value.Value            `json:"mcp,omitempty" doc:"An MCP server."`
	Allow       []string               `json:"allow,omitempty" doc:"Names or patterns of its tools."`
}

// newToolset reads the list of tools. The error names all that is wrong with
// it.
func newToolset(ctx context.Context, env actions.Env, list []value.Value) (*toolset, error) {
	if env.Registry == nil {
		return nil, actions.Errorf(actions.CodeUnsupported, "there are no actions here to be tools")
	}
	s := &toolset{byName: map[string]*tool{}}
	var errs []error
	for i, v := range list {
		err := s.add(ctx, env, v)
		if code := actions.CodeOf(err); err != nil && code != actions.CodeInvalidInput {
			return nil, err // a server that does not answer
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("tools[%d]: %w", i, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, &actions.Error{Code: actions.CodeInvalidInput, Message: err.Error(), Err: err}
	}
	return s, nil
}

// add puts in what one element of the list stands for.
func (s *toolset) add(ctx context.Context, env actions.Env, v value.Value) error {
	if name, ok := v.AsString(); ok && strings.Contains(name, "*") {
		return s.pattern(env, name)
	} else if ok {
		return s.single(env, entry{Action: name})
	}
	e, err := readEntry(v)
	switch {
	case err != nil:
		return err
	case e.Action != "":
		return s.single(env, e)
	}
	return s.server(ctx, env, e)
}

func readEntry(v value.Value) (e entry, err error) {
	o, err := schema.For[entry]()
	if err != nil {
		return e, err
	}
	if err := o.Decode(v, &e); err != nil {
		return e, wrong("want the name of an action, {action: …} or {mcp: …}: %w", err)
	}
	switch {
	case (e.Action == "") == e.MCP.IsNull():
		return e, wrong("want either action or mcp")
	case e.Action != "" && e.Allow != nil:
		return e, wrong("allow goes with mcp")
	case e.Action == "" && (e.Name != "" || e.Description != "" || e.With != nil):
		return e, wrong("name, description and with go with action")
	case e.Action == "" && len(e.Allow) == 0:
		return e, wrong(`say in allow which tools of the server may be called; ["*"] is all of them`)
	}
	return e, nil
}

// pattern puts in the actions that a pattern stands for: those that neither
// change anything nor ask a model.
func (s *toolset) pattern(env actions.Env, pattern string) error {
	known := false
	for _, a := range env.Registry.All() {
		spec := a.Spec()
		if !matches(pattern, spec.Name) {
			continue
		}
		harmless := (spec.Effect == actions.Read || spec.Effect == actions.Pure) && !spec.Model
		known = known || harmless
		listed := slices.ContainsFunc(s.tools, func(t *tool) bool { return t.action == spec.Name })
		if !harmless || listed {
			continue
		}
		if err := s.put(actionTool(a, entry{}), false); err != nil {
			return err
		}
	}
	if !known {
		return wrong("no action that only reads or computes is called %q", pattern)
	}
	return nil
}

// single puts in an action that is named.
func (s *toolset) single(env actions.Env, e entry) error {
	a, ok := env.Registry.Lookup(e.Action)
	if !ok {
		if hint := diag.DidYouMean(e.Action, env.Registry.Names()); hint != "" {
			return wrong("unknown action %q (%s)", e.Action, hint)
		}
		return wrong("unknown action %q", e.Action)
	}
	for _, name := range slices.Sorted(maps.Keys(e.With)) {
		if _, ok := a.Input().Field(name); !ok {
			return wrong("with: %s has no parameter %q (%s)", e.Action, name, diag.DidYouMean(name, a.Input().Names()))
		}
	}
	return s.put(actionTool(a, e), e.Name != "")
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// put takes in a tool. A name that somebody chose must be free; any other gives
// way.
func (s *toolset) put(t *tool, chosen bool) error {
	if !toolName.MatchString(t.name) {
		return wrong("name: %q is no name for a tool: letters, digits, _ and -, at most 64", t.name)
	}
	base := t.name
	for n := 2; s.byName[t.name] != nil; n++ {
		if chosen {
			return wrong("name: there is another tool called %q", t.name)
		}
		suffix := fmt.Sprintf("_%d", n)
		t.name = base[:min(len(base), 64-len(suffix))] + suffix
	}
	s.tools = append(s.tools, t)
	s.byName[t.name] = t
	return nil
}

// declared returns the tools as llm.call takes them.
func (s *toolset) declared() value.Value {
	list := make([]value.Value, len(s.tools))
	for i, t := range s.tools {
		list[i] = value.Object(value.M("name", value.String(t.name)),
			value.M("description", value.String(t.description)), value.M("parameters", t.parameters))
	}
	return value.List(list...)
}

// unknown says that there is no such tool.
func (s *toolset) unknown(name string) string {
	text := fmt.Sprintf("there is no tool %q", name)
	if hint := diag.DidYouMean(name, slices.Sorted(maps.Keys(s.byName))); hint != "" {
		text += "; " + hint
	}
	return text
}
