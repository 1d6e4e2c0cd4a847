package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// Options are what a document is compiled against.
type Options struct {
	Registry *actions.Registry
	Filters  *filters.Set
	// Env finds environment variables, for `${VAR}` in settings and for what
	// settings.env lists. Nil finds none.
	Env func(name string) (string, bool)
	// Code compiles the code of a language that this version supports. Nil:
	// run blocks are errors.
	Code CodeCompiler
}

// CodeCompiler compiles the source of a run block. The program is nil when
// there are problems.
type CodeCompiler func(language, source string) (Program, []CodeProblem)

// CodeProblem is something wrong with code.
type CodeProblem struct {
	Line, Col     int // in the source, from 1; Col counts characters
	Width         int // of the caret line; 0 counts as 1
	Message, Hint string
}

// Compile checks everything about the document that can be checked before a
// run. The graph is nil when the list has errors, or when Parse has found some;
// the list may hold warnings beside a graph. An agent with errors is checked as
// far as it goes, so that all problems can be shown at once.
func Compile(agent *spec.Agent, o Options) (*Graph, diag.List) {
	c := &compiler{agent: agent, o: o, index: map[string]int{}}
	c.settings()
	g := c.graph()
	c.diags.Sort()
	c.diags = distinct(c.diags)
	if c.diags.HasErrors() || agent.Flawed {
		return nil, c.diags
	}
	return g, c.diags
}

// distinct drops what is said twice: some texts are compiled for two purposes,
// and aliases lead to the same place.
func distinct(l diag.List) diag.List {
	seen := map[diag.Diagnostic]bool{}
	return slices.DeleteFunc(l, func(d diag.Diagnostic) bool {
		twice := seen[d]
		seen[d] = true
		return twice
	})
}

// compiler collects what is wrong with one document.
type compiler struct {
	agent *spec.Agent
	o     Options
	diags diag.List

	set   spec.Settings
	llm   *Args          // settings.llm; nil: not set
	cache *schema.Object // of cache.Settings
	whole cache.WholeSettings
	index map[string]int // nodes by name
}

func (c *compiler) add(pos diag.Pos, width int, code, format string, args ...any) *diag.Diagnostic {
	d := c.diags.Add(pos, code, format, args...)
	d.Width = width
	return d
}

func (c *compiler) at(t spec.Text, code, format string, args ...any) *diag.Diagnostic {
	return c.add(t.Pos, t.Width(), code, format, args...)
}

func (c *compiler) warn(t spec.Text, code, format string, args ...any) *diag.Diagnostic {
	d := c.at(t, code, format, args...)
	d.Severity = diag.Warning
	return d
}

func (c *compiler) settings() {
	var diags diag.List
	c.set, diags = c.agent.Expand(c.o.Env)
	c.diags = append(c.diags, diags...)
	object, err := schema.For[cache.Settings]()
	if err != nil {
		c.malformed(err)
		return
	}
	c.cache = object
	c.agentCache()
	c.agentLLM()
	c.languages()
}

func (c *compiler) graph() *Graph {
	a := c.agent
	digest := sha256.Sum256(a.Source)
	g := &Graph{
		Name: a.Name.Value, Namespace: a.Name.Value, File: a.File, Digest: hex.EncodeToString(digest[:]), Source: a,
		Variables: c.constants(a.Variables, "variables"),
		Initial:   c.constants(a.InitialState, "initial_state"),
		Environ:   c.environ(),
		Secrets:   c.secrets(),
		Settings:  c.compiledSettings(),
	}
	if g.Name == "" {
		g.Name, g.Namespace = fileNames(a.File)
	}
	g.Schemas = c.schemas()
	c.nodes(g)
	return g
}

// fileNames names an agent that has no name: after its file, and, where names
// must not clash, with a part of the hash of the file's path.
func fileNames(file string) (name, namespace string) {
	base := filepath.Base(file)
	name = strings.TrimSuffix(base, filepath.Ext(base))
	sum := sha256.Sum256([]byte(filepath.ToSlash(file)))
	return name, name + "-" + hex.EncodeToString(sum[:4])
}

func (c *compiler) compiledSettings() Settings {
	s := Settings{
		Values: value.Object(), LTM: c.set.LTM.Value, Cache: value.Object(), Whole: c.whole, LLM: c.llm, Record: c.record(),
		Limits: Limits{MaxSteps: c.set.Limits.MaxSteps, RunTimeout: c.set.Limits.RunTimeout, StateBytes: c.set.Limits.MaxStateBytes},
	}
	if c.set.Data != nil {
		s.Values = c.set.Data.Value()
	}
	s.Places.LTM = c.set.LTM.Pos
	if c.set.Cache != nil {
		s.Cache = c.set.Cache.Value()
	}
	if store := c.set.Cache.Get("store"); store != nil {
		s.Places.CacheStore = store.Pos
	}
	for _, t := range c.set.Allow {
		s.Allow = append(s.Allow, t.Value)
	}
	for _, t := range c.set.Programs {
		s.Programs = append(s.Programs, t.Value)
	}
	if s.Limits.MaxSteps == 0 {
		s.Limits.MaxSteps = DefaultMaxSteps
	}
	return s
}

func (c *compiler) record() Record {
	r := Record{All: c.set.Record.Calls.Value == "all", OnExhausted: c.set.Record.OnExhausted.Value}
	for _, t := range c.set.Record.Normalize {
		r.Normalize = append(r.Normalize, t.Value)
	}
	return r
}

// environ returns the environment variables that settings.env lists and that
// are set.
func (c *compiler) environ() value.Value {
	env := value.Object()
	for _, name := range c.set.Env {
		if c.o.Env == nil {
			break
		}
		if v, ok := c.o.Env(name.Value); ok {
			env = env.With(name.Value, value.String(v))
		}
	}
	return env
}

func (c *compiler) secrets() []string {
	var names []string
	for _, s := range c.agent.Secrets {
		names = append(names, s.Value)
	}
	slices.Sort(names)
	return names
}

// constants returns data that is never rendered, and warns of templates in it.
func (c *compiler) constants(d *spec.Data, key string) value.Value {
	if d == nil {
		return value.Object()
	}
	c.unrendered(d, key)
	return d.Value()
}

func (c *compiler) unrendered(d *spec.Data, key string) {
	if d.IsText() && strings.Contains(d.Text.Value, "{{") {
		c.warn(d.Text, "not_rendered", "templates in `%s` are not rendered: this stays as it is written", key)
	}
	for _, item := range d.Items {
		c.unrendered(item, key)
	}
	for _, m := range d.Members {
		c.unrendered(m.Value, key)
	}
}
