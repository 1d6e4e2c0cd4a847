package llmactions

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

// actionTool makes an action a tool.
func actionTool(a actions.Action, e entry) *tool {
	name := a.Spec().Name
	fixed := value.Map(e.With)
	return &tool{
		name:        cmp.Or(e.Name, strings.ReplaceAll(name, ".", "_")),
		description: cmp.Or(e.Description, a.Spec().Summary),
		parameters:  without(a.Input().JSONSchema(), fixed),
		action:      name,
		input:       func(arguments value.Value) (value.Value, error) { return actionInput(a.Input(), fixed, arguments) },
		call: func(ctx context.Context, env actions.Env, input value.Value) (value.Value, error) {
			result, err := env.Invoke(ctx, name, input, actions.Policy{})
			return result.Output, err
		},
	}
}

// without returns the JSON Schema of an object that lacks the keys of fixed.
func without(s, fixed value.Value) value.Value {
	s = s.Without("$schema")
	properties, required := s.At("properties"), []value.Value{}
	for _, name := range s.At("required").Items() {
		if _, ok := fixed.Get(name.Text()); !ok {
			required = append(required, name)
		}
	}
	for name := range fixed.Members() {
		properties = properties.Without(name)
	}
	if s = s.With("properties", properties).Without("required"); len(required) > 0 {
		s = s.With("required", value.List(required...))
	}
	return s
}

// actionInput puts arguments and fixed parameters together.
func actionInput(o *schema.Object, fixed, arguments value.Value) (value.Value, error) {
	if arguments.Kind() != value.KindObject {
		return value.Null(), notObject(arguments)
	}
	for name := range arguments.Members() {
		if _, hidden := fixed.Get(name); hidden { // as if it were not there
			var free []string
			for _, n := range o.Names() {
				if _, ok := fixed.Get(n); !ok {
					free = append(free, n)
				}
			}
			return value.Null(), fmt.Errorf("unknown key %q (%s)", name, diag.DidYouMean(name, free))
		}
	}
	input := arguments.Merge(fixed)
	plain, err := value.Resolve(input, func(string) (string, error) { return value.Mask, nil })
	if err != nil {
		return value.Null(), err
	}
	return input, o.Check(plain, func(string) bool { return false }).Err()
}

// notObject says that a model wrote something that is no JSON object.
func notObject(arguments value.Value) error {
	if text, ok := arguments.AsString(); ok {
		return fmt.Errorf("the arguments are not a JSON object: %s", beginning(text))
	}
	return fmt.Errorf("the arguments are not an object, but a %s", arguments.Kind())
}

// server puts in the tools of an MCP server that the entry allows.
func (s *toolset) server(ctx context.Context, env actions.Env, e entry) error {
	result, err := env.Invoke(ctx, "mcp.tools", value.Object(value.M("server", e.MCP)), actions.Policy{})
	if err != nil {
		return err
	}
	var names []string
	used := map[string]bool{}
	for _, t := range result.Output.At("tools").Items() {
		name, allowed := t.At("name").Text(), false
		for _, pattern := range e.Allow {
			if matches(pattern, name) {
				allowed, used[pattern] = true, true
			}
		}
		names = append(names, name)
		if !allowed {
			continue
		}
		if err := s.put(serverTool(e.MCP, name, t), false); err != nil {
			return err
		}
	}
	for _, pattern := range e.Allow {
		if !used[pattern] {
			return wrong("allow: the server has no tool %q (%s)", pattern, cmp.Or(diag.DidYouMean(pattern, names), "it has none"))
		}
	}
	return nil
}

// serverTool makes a tool of an MCP server one of ours.
func serverTool(server value.Value, name string, t value.Value) *tool {
	parameters := t.At("input_schema")
	if parameters.Kind() != value.KindObject {
		parameters = value.Object(value.M("type", value.String("object")))
	}
	return &tool{
		name: modelName(name), description: t.At("description").Text(),
		parameters: parameters.Without("$schema"), action: "mcp.call",
		input: func(arguments value.Value) (value.Value, error) {
			if arguments.Kind() != value.KindObject {
				return value.Null(), notObject(arguments)
			}
			return value.Object(value.M("server", server), value.M("tool", value.String(name)), value.M("arguments", arguments)), nil
		},
		call: callServer,
	}
}

// callServer calls a tool of an MCP server. What the tool itself calls an error
// is one.
func callServer(ctx context.Context, env actions.Env, input value.Value) (value.Value, error) {
	result, err := env.Invoke(ctx, "mcp.call", input, actions.Policy{})
	if err != nil {
		return value.Null(), err
	}
	out := result.Output
	if failed, _ := out.At("is_error").AsBool(); failed {
		return value.Null(), actions.Errorf(actions.CodeFailed, "%s", resultText(out.At("content")))
	}
	if structured := out.At("structured"); !structured.IsNull() {
		return structured, nil
	}
	return out.At("content"), nil
}

// modelName turns the name of a server's tool into one that models take.
func modelName(name string) string {
	const most = 64
	clean := strings.Map(func(r rune) rune {
		if r < 0x80 && toolName.MatchString(string(r)) {
			return r
		}
		return '_'
	}, name)
	return cmp.Or(clean[:min(len(clean), most)], "tool")
}

// matches tells whether a name fits a pattern, in which * stands for any
// characters.
func matches(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, head)
	for ok && star {
		var part string
		if part, rest, star = strings.Cut(rest, "*"); !star {
			return strings.HasSuffix(name, part)
		}
		_, name, ok = strings.Cut(name, part)
	}
	return false
}
