package python

import (
	"sync"

	"github.com/tea-agents/tea/actions/run/python/hostmod"
	"github.com/tea-agents/tea/actions/run/python/interp"
	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/actions/run/python/syntax"
	"github.com/tea-agents/tea/internal/diag"
)

const usePython3 = "use `language: python3`"

// Options say where the code comes from.
type Options struct {
	Name string // the file, for tracebacks
	Line int    // the line of the file at which the code's first line stands; 0 counts as 1
	Col  int    // the column at which the code's lines begin; 0 counts as 1
}

// Program is compiled code. It is immutable and safe for concurrent use.
type Program struct {
	file    *syntax.File
	opts    Options
	world   *object.World
	keys    []string
	allKeys bool
}

// world is what all programs see. It never changes once it is made.
//
//nolint:gochecknoglobals // immutable, and too large to make for every block
var world = sync.OnceValue(func() *object.World {
	w := object.NewWorld()
	interp.AddBuiltins(w)
	hostmod.Add(w)
	return w
})

// Compile checks code and prepares it to run. The error is of type Errors and
// holds every problem, in the order of the source.
func Compile(src string, o Options) (*Program, error) {
	w := world()
	file, errs := syntax.Parse(src, syntax.Options{
		CheckImport: func(module, member string) (string, string) { return checkImport(w, module, member) },
		Forbidden:   forbidden,
		Fixed:       fixed,
	})
	if len(errs) > 0 {
		return nil, o.compileErrors(errs)
	}
	p := &Program{file: file, opts: o, world: w}
	p.keys, p.allKeys = stateKeys(file)
	return p, nil
}

// StateKeys returns the keys of the state that the code names, sorted. all is
// true when the code may read any key: it reads one by a computed name, or
// hands the whole state on.
func (p *Program) StateKeys() (keys []string, all bool) {
	return append([]string(nil), p.keys...), p.allKeys
}

// HasReturn tells whether there is a return statement at the top level.
func (p *Program) HasReturn() bool { return p.file.HasReturn }

func checkImport(w *object.World, module, member string) (msg, hint string) {
	if module == "__future__" {
		return "", ""
	}
	m := w.Module(module)
	switch {
	case m == nil && member != "":
		return "", "" // said of the module already
	case m == nil:
		hint = usePython3
		if near := diag.Suggest(module, w.ModuleNames()); near != "" {
			hint = "did you mean " + near + "? Else " + hint
		}
		return "the module '" + module + "' is not available in the embedded Python", hint
	case member == "" || m.Members[member] != nil:
		return "", ""
	}
	hint = usePython3
	if near := diag.Suggest(member, m.AttrNames()); near != "" {
		hint = "did you mean " + near + "?"
	}
	return "cannot import name '" + member + "' from '" + module + "'", hint
}

// forbidden gives advice about builtins that are left out on purpose.
func forbidden(name string) string {
	switch name {
	case "eval", "exec", "compile", "open", "__import__", "input", "globals", "locals", "vars",
		"setattr", "delattr", "breakpoint", "memoryview", "bytearray", "complex", "super", "property",
		"staticmethod", "classmethod", "dir", "help", "exit", "quit":
		return usePython3
	}
	return ""
}

// fixed gives advice about names that code must not bind at its top level: the
// new value would go nowhere.
func fixed(name string) string {
	if name == "state" {
		return `set its keys, as in state["x"] = 1, or return an object`
	}
	return ""
}
