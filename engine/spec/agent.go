package spec

import (
	"slices"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// Agent is one document.
type Agent struct {
	File   string
	Source []byte
	Pos    diag.Pos
	Flawed bool // Parse found errors: some of what was written is missing here

	Name, Description, Version Text

	Variables    *Data // an object, or nil
	StateSchema  *Data // nil when not declared
	InputSchema  *Data
	OutputSchema *Data
	InitialState *Data // an object, or nil
	Settings     *Data // as written, an object or nil: see Expand
	Nodes        []*Node
	Edges        []*Edge
	Secrets      []Text // names that the agent may read
}

// Parse reads the document src. file is its name, for places only. The agent
// is nil when there is nothing to go on with; otherwise it holds what could be
// read, even when the list has errors, so that more can be checked at once.
func Parse(file string, src []byte) (*Agent, diag.List) {
	p := &parser{src: newSource(file, src), patterns: newPatterns(), nodeNames: map[string]int{}}
	var a *Agent
	if root := p.load(src); root != nil {
		a = p.agent(p.build(root))
		a.File, a.Source, a.Flawed = file, src, p.diags.HasErrors()
	}
	p.diags.Sort()
	return a, slices.CompactFunc(p.diags, func(a, b diag.Diagnostic) bool { return a == b })
}

func (p *parser) agent(d *Data) *Agent {
	d = p.object(d, agentShape())
	a := &Agent{
		Pos:          d.Pos,
		Name:         p.name(d.Get("name"), "`name`"),
		Description:  p.string(d.Get("description"), "`description`"),
		Version:      p.string(d.Get("version"), "`version`"),
		Variables:    p.mapping(d.Get("variables"), "`variables`"),
		StateSchema:  p.mapping(d.Get("state_schema"), "`state_schema`"),
		InputSchema:  p.mapping(d.Get("input_schema"), "`input_schema`"),
		OutputSchema: p.mapping(d.Get("output_schema"), "`output_schema`"),
		InitialState: p.mapping(d.Get("initial_state"), "`initial_state`"),
		Settings:     p.mapping(d.Get("settings"), "`settings`"),
		Secrets:      p.names(d.Get("secrets"), "`secrets`"),
	}
	p.config(d.Get("config"))
	a.Nodes = p.agentNodes(d)
	for _, e := range p.list(d.Get("edges"), "`edges`") {
		a.Edges = append(a.Edges, p.edge(e))
	}
	return a
}

// agentNodes reads the list of nodes, which must not be empty.
func (p *parser) agentNodes(d *Data) []*Node {
	list := d.Get("nodes")
	if list == nil && len(d.Members) == 0 {
		return nil // reported already
	}
	if list == nil {
		p.at(d, "missing_key", "the agent has no `nodes`").Hint = "list its steps under `nodes:`"
		return nil
	}
	var nodes []*Node
	for _, item := range p.list(list, "`nodes`") {
		nodes = append(nodes, p.node(item, topLevel))
	}
	if list.IsList() && len(nodes) == 0 {
		p.at(list, "missing_key", "the agent has no nodes").Hint = "list its steps under `nodes:`"
	}
	return nodes
}

// mapping returns d when it is a map; an empty value counts as not written.
func (p *parser) mapping(d *Data, what string) *Data {
	if d == nil || d.IsNull() {
		return nil
	}
	if !d.IsObject() {
		p.wrongType(d, what, "a map")
		return nil
	}
	return d
}

// config checks `config`. All that it can say in this version is what holds
// anyway.
func (p *parser) config(d *Data) {
	if d = p.mapping(d, "`config`"); d == nil {
		return
	}
	d = p.object(d, configShape())
	raise := d.Get("raise_exceptions")
	if on := p.bool(raise, "`raise_exceptions`"); raise != nil && !on && raise.Kind == value.KindBool {
		p.at(raise, "not_supported", "`raise_exceptions: false` would let a run go on as if nothing had failed").
			Hint = "say with `on_error` which nodes may fail, and what happens then"
	}
}

// Document reads a YAML document as data with places, under the rules of agents
// but with no regard to their shape. The error is of type diag.List.
func Document(file string, src []byte) (*Data, error) {
	p := &parser{src: newSource(file, src), patterns: newPatterns()}
	root := p.load(src)
	if root == nil {
		return nil, p.diags
	}
	return p.build(root), p.diags.Err()
}

// Value reads a YAML document as plain data, as Document does, without the
// places: for input files, and to check agents by a JSON Schema.
func Value(file string, src []byte) (value.Value, error) {
	d, err := Document(file, src)
	return d.Value(), err
}
