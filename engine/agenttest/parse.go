package agenttest

import (
	"errors"
	"maps"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

// Parse reads a file of tests. name is its path: those in it are relative to
// its folder. The error is of type diag.List and holds all problems.
func Parse(name string, src []byte) (*Suite, error) {
	doc, err := spec.Document(name, src)
	if err != nil {
		return nil, err
	}
	p := &parser{doc: doc, folder: filepath.Dir(name)}
	var f file
	if !p.decode(doc.Value(), &f) {
		return nil, p.diags
	}
	s := &Suite{File: name, Agent: p.path(f.Agent)}
	if f.Agent == "" {
		s.Agent = strings.TrimSuffix(name, Ending) + ".yaml"
	}
	names := map[string]bool{}
	for i, w := range f.Tests {
		at := strconv.Itoa(i)
		if names[w.Name] {
			p.problem("duplicate_name", []string{"tests", at, "name"}, "another case has the name %q", w.Name)
		}
		names[w.Name] = true
		s.Cases = append(s.Cases, p.test(f, w, s.Agent, at))
	}
	return s, p.diags.Err()
}

// parser collects what is wrong with a file of tests.
type parser struct {
	doc    *spec.Data
	folder string
	diags  diag.List
}

// decode reads v into f, and tells whether it could.
func (p *parser) decode(v value.Value, f *file) bool {
	declared, err := schema.For[file]()
	if err == nil {
		err = declared.Decode(v, f)
	}
	var problems schema.Problems
	if errors.As(err, &problems) {
		for _, problem := range problems {
			p.tell(problem)
		}
	} else if err != nil {
		p.diags.Add(p.doc.Pos, "internal", "%v", err)
	}
	return err == nil
}

func (p *parser) tell(problem schema.Problem) {
	pos, width := p.doc.Find(problem.Path, problem.Key)
	d := p.diags.Add(pos, problem.Code, "%s", problem.Message)
	d.Hint, d.Width = problem.Hint, width
}

func (p *parser) problem(code string, path []string, format string, args ...any) {
	pos, width := p.doc.Find(path, false)
	p.diags.Add(pos, code, format, args...).Width = width
}

// path returns a path that was written in the file.
func (p *parser) path(written string) string {
	if written == "" || filepath.IsAbs(written) {
		return written
	}
	return filepath.Join(p.folder, filepath.FromSlash(written))
}

// test returns a case as it is to run.
func (p *parser) test(f file, w writtenCase, agent, index string) Case {
	path := func(rest ...string) []string { return append([]string{"tests", index}, rest...) }
	c := Case{
		Name: w.Name, Input: value.Object(), Cassette: p.path(w.Cassette), Given: w.Cassette != "",
		Mocks: map[string]Mock{}, Env: merged(f.Env, w.Env), Secrets: merged(f.Secrets, w.Secrets),
		Runs: w.Runs, Expect: w.Expect,
		doc: p.doc, index: index,
	}
	c.Pos = c.place("name")
	for key, v := range w.Input {
		c.Input = c.Input.With(key, v)
	}
	if !c.Given {
		c.Cassette = defaultCassette(agent, w.Name)
	}
	for node, written := range w.Mocks {
		c.Mocks[node] = p.mock(written, path("mocks", node))
	}
	return c
}

// defaultCassette is where the recording of a case is when nothing else is
// said.
func defaultCassette(agent, name string) string {
	base := strings.TrimSuffix(filepath.Base(agent), filepath.Ext(agent))
	return filepath.Join(filepath.Dir(agent), "cassettes", base, slug(name)+".yaml")
}

var notInSlug = regexp.MustCompile(`[^\pL\pN]+`)

// slug makes a file's name of a case's.
func slug(name string) string {
	return strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

// mock reads what stands in for a node: one outcome, or a list of them.
func (p *parser) mock(v value.Value, path []string) Mock {
	if v.Kind() != value.KindList {
		return Mock{p.outcome(v, path)}
	}
	if v.Len() == 0 {
		p.problem(schema.CodeRange, path, "the list of outcomes is empty")
	}
	m := make(Mock, v.Len())
	for i, item := range v.Items() {
		m[i] = p.outcome(item, append(path[:len(path):len(path)], strconv.Itoa(i)))
	}
	return m
}

func (p *parser) outcome(v value.Value, path []string) Outcome {
	var o Outcome
	declared, err := schema.For[Outcome]()
	if err == nil {
		err = declared.Decode(v, &o)
	}
	var problems schema.Problems
	if errors.As(err, &problems) {
		for _, problem := range problems {
			problem.Path = append(path[:len(path):len(path)], problem.Path...)
			p.tell(problem)
		}
		return o
	}
	_, result := v.Get("result")
	if result == (o.Error != nil) {
		p.problem("mock", path, "a mock has a `result` or an `error`, one of both")
	}
	return o
}

// merged returns both maps in one; the second counts first.
func merged(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, b)
	return out
}
