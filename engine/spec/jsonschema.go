package spec

import (
	"maps"
	"slices"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// JSONSchema returns a JSON Schema of agents, for editors: the keys of the
// language, the actions of the registry with their parameters, and what they
// mean. It accepts everything that loads; loading finds more than it can.
func JSONSchema(r *actions.Registry) value.Value {
	s := sketch{r: r}
	root := s.object(agentShape(), map[string]value.Value{
		"name":          text("Identity of the agent; also the default namespace of its cache."),
		"description":   text("What the agent is for."),
		"version":       choice(ofType("string"), ofType("number")),
		"variables":     documented(ofType("object"), "Constants, as {{ variables.x }}."),
		"state_schema":  documented(ofType("object"), "Types of state keys, checked when present."),
		"input_schema":  documented(ofType("object"), "What the run takes."),
		"output_schema": documented(ofType("object"), "What the run returns."),
		"initial_state": documented(ofType("object"), "The state that the run starts from, under the input."),
		"settings":      s.settings(),
		"nodes":         documented(listOf(ref("node")), "The steps, in order."),
		"edges":         listOf(s.object(edgeShape(), nil, "from", "to")),
		"secrets":       documented(listOf(ofType("string")), "Names of the secrets that the agent may read."),
		"config":        s.object(configShape(), map[string]value.Value{"raise_exceptions": ofType("boolean")}),
	}, "nodes")
	return root.With("$schema", value.String(schema.Draft)).
		With("title", value.String("tea agent")).
		With("$defs", s.definitions())
}

// withDef begins the names of definitions that are parameters of an action.
const withDef = "with."

// sketch builds the schema.
type sketch struct{ r *actions.Registry }

// object is the schema of a map with the keys of a shape; keys without a
// schema of their own take anything.
func (s sketch) object(sh shape, properties map[string]value.Value, required ...string) value.Value {
	all := value.Object()
	for _, key := range sh.known {
		p, ok := properties[key]
		if !ok {
			p = value.Object()
		}
		all = all.With(key, p)
	}
	o := ofType("object").
		With("properties", all).
		With("patternProperties", value.Object(value.M("^x-", value.Object()))).
		With("additionalProperties", value.Bool(false))
	if len(required) > 0 {
		o = o.With("required", value.Must(required))
	}
	return o
}

func (s sketch) settings() value.Value {
	limits := s.object(limitsShape(), nil)
	return s.object(settingsShape(), map[string]value.Value{
		"ltm":   documented(choice(ofType("string"), s.object(ltmShape(), nil)), "The long-term memory: a URL or a path."),
		"cache": s.agentCache(),
		"llm":   documented(s.llm(), "Parameters of every call of a model."),
		"record": documented(choice(word("outward", "all"), s.object(recordShape(), map[string]value.Value{
			"calls": word("outward", "all"), "normalize": listOf(ofType("string")), "on_exhausted": word("error", "last"),
		})), "What recordings of runs hold."),
		"run": s.object(runShape(), map[string]value.Value{
			"allow":    documented(listOf(ofType("string")), "Languages of run blocks."),
			"programs": documented(listOf(ofType("string")), "Programs of the machine that the agent starts, which the user has to grant."),
		}),
		"limits": limits,
		"env":    documented(listOf(ofType("string")), "Environment variables that templates may read."),
	})
}

// llm is the schema of settings.llm.
func (s sketch) llm() value.Value {
	properties := value.Object()
	parameters := ModelParameters(s.r)
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		declared := templated(parameters[name].Input().JSONSchema())
		properties = properties.With(name, declared.At("properties", name))
	}
	return ofType("object").With("properties", properties).
		With("patternProperties", value.Object(value.M("^x-", value.Object()))).
		With("additionalProperties", value.Bool(false))
}

func (s sketch) definitions() value.Value {
	defs := value.Object(value.M("node", s.node()), value.M("cache", s.cacheOptions()))
	for _, a := range s.r.All() {
		defs = defs.With(withDef+a.Spec().Name, s.with(a))
	}
	return defs
}

// with is the schema of an action's parameters. What settings.llm may hold need
// not stand there.
func (s sketch) with(a actions.Action) value.Value {
	declared := templated(a.Input().JSONSchema())
	if !a.Spec().Model {
		return declared
	}
	var required []value.Value
	parameters := ModelParameters(s.r)
	for _, name := range declared.At("required").Items() {
		if _, elsewhere := parameters[name.Text()]; !elsewhere {
			required = append(required, name)
		}
	}
	return declared.With("required", value.List(required...))
}

func (s sketch) node() value.Value {
	inner := listOf(ref("node"))
	rule := s.object(ruleShape(), map[string]value.Value{"to": ofType("string")}, "to")
	node := s.object(nodeShape(), map[string]value.Value{
		"name":           text("Unique name of the node."),
		"description":    text("What the node is for."),
		"run":            text("Code. It reads and changes `state`."),
		"script":         text("The same as run."),
		"language":       text("The language of the code: python where nothing is said."),
		"uses":           s.uses(),
		"with":           documented(choice(ofType("object"), ofType("null")), "The parameters of the action; strings are templates."),
		"steps":          documented(inner, "Bodies in order."),
		"type":           value.Object(value.M("enum", value.Must([]string{"while_loop"}))),
		"condition":      documented(choice(ofType("string"), ofType("boolean")), "The loop goes on while this holds."),
		"max_iterations": ofType("integer").With("minimum", value.Int(1)).With("maximum", value.Int(maxIterations)),
		"body":           inner,
		"output":         documented(choice(ofType("string"), ofType("object")), "The state key for the result, or templates that see `result`."),
		"goto":           documented(choice(ofType("string"), listOf(choice(ofType("string"), rule))), "The next node, or rules of which the first that holds is taken."),
		"if":             documented(choice(ofType("string"), ofType("boolean")), "False: the node is skipped."),
		"on_error":       documented(choice(ofType("string"), s.object(onErrorShape(), nil)), "What follows when the node fails."),
		"cache":          ref("cache"),
	})
	return node.With("allOf", value.List(s.parameters()...))
}

func (s sketch) uses() value.Value {
	names := value.Object(value.M("enum", value.Must(s.r.Names())))
	dual := ofType("string").With("pattern", value.String(`^actions\.`))
	return documented(choice(names, dual), "The action to call.")
}

// parameters says, action by action, what `with` holds.
func (s sketch) parameters() []value.Value {
	var rules []value.Value
	for _, a := range s.r.All() {
		name := a.Spec().Name
		is := value.Object(
			value.M("properties", value.Object(value.M("uses", value.Object(value.M("const", value.String(name)))))),
			value.M("required", value.Must([]string{"uses"})),
		)
		then := value.Object(value.M("properties", value.Object(value.M("with", ref(withDef+name)))))
		rules = append(rules, value.Object(value.M("if", is), value.M("then", then)))
	}
	return rules
}

// agentCache is the schema of settings.cache.
func (s sketch) agentCache() value.Value {
	whole, err := schema.For[cache.WholeSettings]()
	if err != nil {
		return s.cacheOptions()
	}
	return value.Object(value.M("allOf", value.List(s.cacheOptions(), whole.JSONSchema().Without("type").Without("additionalProperties").Without("$schema"))))
}

func (s sketch) cacheOptions() value.Value {
	short := choice(ofType("boolean"), ofType("integer"), ofType("string"))
	options, err := schema.For[cache.Settings]()
	if err != nil {
		return short
	}
	return documented(choice(short, templated(options.JSONSchema()).Without("additionalProperties")),
		"true, a duration, a mode, or the options of cache.wrap.")
}

// templated lets every property be a template as well. References into the
// schema itself are none of those that parameters have.
func templated(o value.Value) value.Value {
	template := ofType("string").With("pattern", value.String(`\{\{|\{%|\{#`))
	properties := value.Object()
	for key, p := range o.At("properties").Members() {
		wrapped := choice(p, template)
		if doc := p.At("description"); !doc.IsNull() {
			wrapped = wrapped.With("description", doc)
		}
		properties = properties.With(key, wrapped)
	}
	return o.With("properties", properties).Without("$schema")
}

func ofType(name string) value.Value { return value.Object(value.M("type", value.String(name))) }

func text(doc string) value.Value { return documented(ofType("string"), doc) }

func documented(s value.Value, doc string) value.Value {
	return s.With("description", value.String(strings.TrimSpace(doc)))
}

func word(words ...string) value.Value { return value.Object(value.M("enum", value.Must(words))) }

func listOf(item value.Value) value.Value { return ofType("array").With("items", item) }

func choice(options ...value.Value) value.Value {
	return value.Object(value.M("anyOf", value.List(options...)))
}

func ref(name string) value.Value {
	return value.Object(value.M("$ref", value.String("#/$defs/"+name)))
}
