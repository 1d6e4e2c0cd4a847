package filters

import (
	"context"
	"strings"

	"github.com/flosch/pongo2/v6"

	"github.com/tea-agents/tea/value"
)

// Template is a compiled string. It is immutable and safe for concurrent use.
type Template struct {
	set    *Set
	src    string
	static bool
	single *compiled        // the string is exactly this expression
	fixed  bool             // the result is always text
	text   string           // that text, when fixed
	body   *pongo2.Template // the skeleton, else

	texts []string   // text that pongo2 could take for its own syntax
	exprs []compiled // what is printed or tested
	loops []*forTag
	sets  []*setTag
	refs  refs
}

// forTag is {% for target in over if test %}.
type forTag struct {
	off    int
	target target
	over   compiled
	test   *compiled
}

// setTag is {% set target = x %}, or with no x the block form.
type setTag struct {
	off       int
	target    target
	attr      string // the attribute of a namespace that is set
	x         *compiled
	namespace bool // x is a call of namespace()
}

// target is a name, or several in brackets that take a value apart.
type target struct {
	off   int
	name  string
	parts []target
}

// Compile compiles a string as it stands in YAML. The error is an *Error, or
// Errors when there are several.
func (s *Set) Compile(src string) (*Template, error) {
	t := &Template{set: s, src: src}
	if !strings.Contains(src, "{{") && !strings.Contains(src, "{%") && !strings.Contains(src, "{#") {
		t.static, t.fixed, t.text = true, true, src
		return t, nil
	}
	if len(src) > MaxSource {
		return nil, locate(src, failAt(0, "the template is longer than %d MiB", MaxSource>>20))
	}
	if err := lift(t); err != nil {
		return nil, err
	}
	return t, nil
}

// Render renders the template. A string that is exactly one {{ expression }}
// yields its value with its type, null when it is missing; everything else
// yields a string, or a secret when one took part. The error is an *Error with
// its place in the source.
func (t *Template) Render(ctx context.Context, scope Scope) (value.Value, error) {
	if t.fixed {
		return value.String(t.text), nil
	}
	e := newEnv(ctx, t.set, scope)
	err := e.alive()
	var v value.Value
	if err == nil {
		if t.single != nil {
			v, err = e.result(*t.single)
		} else {
			v, err = render(t, e)
		}
	}
	if err != nil {
		return value.Null(), locate(t.src, err)
	}
	return v, nil
}

// Static tells whether the string has no expression, tag or comment in it, so
// that it always renders as itself.
func (t *Template) Static() bool { return t.static }

// Source returns the text that was compiled.
func (t *Template) Source() string { return t.src }

// Single tells whether the string is exactly one {{ expression }}, so that it
// yields a value of any type.
func (t *Template) Single() bool { return t.single != nil }

// Uses tells whether the template uses a filter.
func (t *Template) Uses(filter string) bool { return t.refs.filters[filter] }

// Names returns the names that the template looks up in its scope, each once,
// sorted. What it defines itself by for and set is not among them.
func (t *Template) Names() []string { return t.refs.names() }

// Paths returns what the template reads in its scope, in the order of the
// source.
func (t *Template) Paths() []Path { return t.refs.located(t.src) }
