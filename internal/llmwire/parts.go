package llmwire

import (
	"github.com/tea-agents/tea/value"
)

// tool is one tool that a model wants called.
type tool struct {
	key       string // which of an answer's tools it is
	id, name  string
	text      []byte      // arguments as JSON text, as far as it has come
	arguments value.Value // else
}

// toolAt returns the tool under key, a new one the first time.
func (g *gather) toolAt(key string) *tool {
	for _, t := range g.tools {
		if t.key == key {
			return t
		}
	}
	return g.addTool(key)
}

func (g *gather) addTool(key string) *tool {
	t := &tool{key: key}
	g.tools = append(g.tools, t)
	return t
}

func (t *tool) named(id, name value.Value) *tool {
	if id.Text() != "" {
		t.id = id.Text()
	}
	if name.Text() != "" {
		t.name = name.Text()
	}
	return t
}

// take adds arguments: a piece of JSON text, or all of them as they are.
func (t *tool) take(arguments value.Value) {
	if s, ok := arguments.AsString(); ok {
		t.text = append(t.text, s...)
	} else if !arguments.IsNull() {
		t.arguments = arguments
	}
}

func (t *tool) value() value.Value {
	arguments := t.arguments
	if len(t.text) > 0 {
		var err error
		if arguments, err = value.Parse(t.text); err != nil {
			arguments = value.String(string(t.text))
		}
	}
	if arguments.IsNull() {
		arguments = value.Object()
	}
	v := value.Object(value.M("name", value.String(t.name)), value.M("arguments", arguments))
	if t.id != "" {
		v = v.With("id", value.String(t.id))
	}
	return v
}

// usage counts tokens; a nil count was not told.
type usage struct{ prompt, completion, total, cached *int64 }

// set takes a count that was told; later ones replace earlier ones.
func set(count **int64, told value.Value) {
	if n, ok := told.AsInt(); ok {
		*count = &n
	}
}

func (u usage) value() value.Value {
	if u.total == nil && u.prompt != nil && u.completion != nil {
		sum := *u.prompt + *u.completion
		u.total = &sum
	}
	var members []value.Member
	for _, m := range []struct {
		key   string
		count *int64
	}{
		{"prompt_tokens", u.prompt}, {"completion_tokens", u.completion},
		{"total_tokens", u.total}, {"cached_tokens", u.cached},
	} {
		if m.count != nil {
			members = append(members, value.M(m.key, value.Int(*m.count)))
		}
	}
	if members == nil {
		return value.Null()
	}
	return value.Object(members...)
}
