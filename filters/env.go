package filters

import (
	"context"

	"github.com/tea-agents/tea/value"
)

// env is one evaluation: where names are looked up, and what was spent.
type env struct {
	ctx    context.Context
	set    *Set
	scope  Scope
	frames []*frame // innermost last
	steps  int
	polled int // steps when the context was last looked at
}

// frame holds the names that {% set %} and {% for %} define.
type frame struct {
	vars []local
	loop *loop // nil for the template itself
}

type local struct {
	name      string
	v         value.Value
	namespace bool // made by namespace(): its attributes can be set
}

func newEnv(ctx context.Context, set *Set, scope Scope) *env {
	return &env{ctx: ctx, set: set, scope: scope}
}

// operand is a value on its way through an expression, or the fact that there
// is none.
type operand struct {
	v    value.Value
	miss *missing
}

// missing is what a path leads to that does not exist. Its error is made only
// when somebody needs it.
type missing struct {
	n     node            // the path
	what  string          // what is missing, where there is no path to tell
	known func() []string // the names that do exist
	key   string
	// omitted is true of what an if without else leaves out on purpose.
	omitted bool
}

// tick charges n steps.
func (e *env) tick(n int) error {
	e.steps += n
	if e.steps > MaxSteps {
		return failf("the template takes more than %d steps", MaxSteps)
	}
	if e.steps-e.polled >= 1024 {
		e.polled = e.steps
		return e.alive()
	}
	return nil
}

// alive is an error once the context has ended.
func (e *env) alive() error {
	if e.ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(e.ctx)
	return &fault{off: -1, msg: "stopped: " + cause.Error(), err: cause}
}

// weight is a measure of the work that one pass over v takes.
func weight(v value.Value) int { return 1 + len(v.Text())/64 + v.Len() }

// lookup finds a name: set and for first, then the scope.
func (e *env) lookup(name string) (value.Value, bool) {
	if l := e.local(name); l != nil {
		return l.v, true
	}
	if name == "loop" {
		if l := e.loop(); l != nil {
			return l.object(), true
		}
	}
	return e.scope.Lookup(name)
}

func (e *env) local(name string) *local {
	for i := len(e.frames) - 1; i >= 0; i-- {
		vars := e.frames[i].vars
		for j := range vars {
			if vars[j].name == name {
				return &vars[j]
			}
		}
	}
	return nil
}

// loop is the innermost loop that is running.
func (e *env) loop() *loop {
	for i := len(e.frames) - 1; i >= 0; i-- {
		if l := e.frames[i].loop; l != nil && l.index >= 0 {
			return l
		}
	}
	return nil
}

// define sets a name in the innermost frame.
func (e *env) define(name string, v value.Value, namespace bool) {
	f := e.frames[len(e.frames)-1]
	for j := range f.vars {
		if f.vars[j].name == name {
			f.vars[j].v, f.vars[j].namespace = v, namespace
			return
		}
	}
	f.vars = append(f.vars, local{name: name, v: v, namespace: namespace})
}

// value evaluates n, which must not be missing.
func (e *env) value(n node) (value.Value, error) {
	x, err := n.eval(e)
	if err == nil && x.miss != nil {
		err = x.miss.err(n.at(), "")
	}
	return x.v, err
}

// text evaluates n as a part of a text, in which an if without else that does
// not hold is nothing.
func (e *env) text(n node) (value.Value, error) {
	x, err := n.eval(e)
	switch {
	case err != nil || x.miss == nil:
		return x.v, err
	case x.miss.omitted:
		return value.String(""), nil
	default:
		return value.Value{}, x.miss.err(n.at(), "")
	}
}

// err says what is missing and, in then, what it was needed for.
func (m *missing) err(off int, then string) error {
	what := m.what
	if m.n != nil {
		off = m.n.at()
		if d := describe(m.n); d != "" {
			what = d
		}
	}
	if what == "" {
		what = "the value"
	}
	f := failAt(off, "%s is missing%s", what, then)
	if m.known != nil {
		if hint := suggestion(m.key, m.known()); hint != "" {
			return f.withHint("%s", hint)
		}
	}
	return f.withHint("if it may be missing, say what then: | default(…)")
}
