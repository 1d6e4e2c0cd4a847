package interp

import (
	"errors"

	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/actions/run/python/syntax"
)

// Run is one execution of a program.
type Run struct {
	t       *object.Thread
	file    *syntax.File
	globals []object.Object
	pre     map[string]object.Object
}

// New prepares a run. pre are names in scope besides the builtins.
func New(t *object.Thread, f *syntax.File, pre map[string]object.Object) *Run {
	return &Run{t: t, file: f, pre: pre, globals: make([]object.Object, len(f.Globals))}
}

// Execute runs the program and returns the value of its return statement, or
// nil when it ends without one. Errors are *object.Exception. The memory that
// the variables hold stays charged, for what is done with them afterwards.
func (r *Run) Execute() (object.Object, error) {
	f := &frame{run: r, t: r.t, name: "<module>"}
	r.t.PushFrame(f)
	if _, err := f.exec(r.file.Body); err != nil {
		return nil, f.traced(err)
	}
	return f.result, r.t.Statement()
}

// Global returns the value of a global variable, nil when it has none.
func (r *Run) Global(i int) object.Object { return r.globals[i] }

// frame is the variables of a function that is being called.
type frame struct {
	run    *Run
	t      *object.Thread
	name   string
	slots  []object.Object
	cells  []*cell
	result object.Object // of return
	pos    syntax.Pos    // of the statement being run
}

// cell is a variable that functions share.
type cell struct{ v object.Object }

// Roots implements object.Frame.
func (f *frame) Roots(visit func(object.Object)) {
	for _, o := range f.slots {
		visit(o)
	}
	for _, c := range f.cells {
		visit(c.v)
	}
	visit(f.result)
	if f.name == "<module>" {
		for _, o := range f.run.globals {
			visit(o)
		}
		for _, o := range f.run.pre {
			visit(o)
		}
	}
}

// at notes where an error was raised, unless that is known already.
func (f *frame) at(pos syntax.Pos, err error) error {
	e := asException(err)
	if e.Pos == (syntax.Pos{}) {
		e.Pos = pos
	}
	return e
}

// traced adds the frame to the traceback of an error.
func (f *frame) traced(err error) error {
	e := asException(err)
	pos := f.pos
	if len(e.Trace) == 0 && e.Pos != (syntax.Pos{}) {
		pos = e.Pos
	}
	const enough = 20
	if len(e.Trace) < enough || f.name == "<module>" {
		e.Trace = append(e.Trace, object.TraceEntry{Pos: pos, Func: f.name})
	}
	return e
}

func asException(err error) *object.Exception {
	var e *object.Exception
	if errors.As(err, &e) {
		return e
	}
	return &object.Exception{Kind: "RuntimeError", Cause: err, Args: []object.Object{object.NewStr(err.Error())}}
}
