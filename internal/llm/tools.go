package llm

import (
	"fmt"
	"strconv"

	"github.com/tea-agents/tea/value"
)

// ParseTools reads a list of tools, each {name, description, parameters,
// strict} or OpenAI's {type: function, function: {…}}. Parameters that are not
// said are an object without properties. Null is no tools. The error is an
// *Error of kind InvalidInput that names everything that is wrong.
func ParseTools(v value.Value) ([]Tool, error) {
	if v.IsNull() {
		return nil, nil
	}
	var p problems
	if v.Kind() != value.KindList {
		p.add("tools must be a list, not a %s", v.Kind())
		return nil, p.err()
	}
	tools := make([]Tool, 0, v.Len())
	seen := map[string]bool{}
	for i, item := range v.Items() {
		t := p.tool(fmt.Sprintf("tools[%d]", i), item)
		if t.Name != "" && seen[t.Name] {
			p.add("tools[%d]: there are two tools called %q", i, t.Name)
		}
		seen[t.Name] = true
		tools = append(tools, t)
	}
	return tools, p.err()
}

func (p *problems) tool(path string, v value.Value) Tool {
	if inner, ok := v.Get("function"); ok {
		p.unknown(path, v, "type", "function")
		v, path = inner, path+".function"
	} else {
		v = v.Without("type")
	}
	if v.Kind() != value.KindObject {
		p.add("%s must be an object, not a %s", path, v.Kind())
		return Tool{}
	}
	p.unknown(path, v, "name", "description", "parameters", "strict")
	t := Tool{Name: v.At("name").Text(), Description: v.At("description").Text(), Parameters: v.At("parameters")}
	if t.Name == "" {
		p.add("%s has no name", path)
	}
	switch t.Parameters.Kind() {
	case value.KindNull:
		t.Parameters = value.Object(value.M("type", value.String("object")), value.M("properties", value.Object()))
	case value.KindObject:
	default:
		p.add("%s.parameters must be a JSON Schema, an object", path)
	}
	strict := v.At("strict")
	if b, ok := strict.AsBool(); ok {
		t.Strict = b
	} else if !strict.IsNull() {
		p.add("%s.strict must be true or false", path)
	}
	return t
}

// ParseToolChoice reads a tool_choice: auto, none, required, the name of one
// of tools, or OpenAI's {type: function, function: {name}}. Null is "".
func ParseToolChoice(v value.Value, tools []Tool) (string, error) {
	var p problems
	name, ok := v.AsString()
	if v.Kind() == value.KindObject {
		name, ok = v.At("function", "name").AsString()
	}
	switch {
	case v.IsNull():
		return "", nil
	case !ok:
		p.add("tool_choice must be auto, none, required or the name of a tool")
		return "", p.err()
	}
	known := []string{"auto", "none", "required"}
	for _, t := range tools {
		known = append(known, t.Name)
	}
	for _, k := range known {
		if k == name {
			return name, nil
		}
	}
	p.add("unknown tool_choice %q%s", name, hint(name, known))
	return "", p.err()
}

// ParseArguments reads the arguments of a tool call as a model wrote them: an
// object, or the text itself where it is none. No text is an empty object.
func ParseArguments(text string) value.Value {
	if text == "" {
		return value.Object()
	}
	v, err := value.Parse([]byte(text))
	if err != nil || v.Kind() != value.KindObject {
		return value.String(text)
	}
	return v
}

// CallID is the ID of the tool call with an ordinal, counted from 0, where the
// provider gives none.
func CallID(ordinal int) string { return "call_" + strconv.Itoa(ordinal) }
