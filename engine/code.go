package engine

import (
	"errors"

	"github.com/tea-agents/tea/actions/run/python"
	"github.com/tea-agents/tea/engine/internal/graph"
)

// program is compiled Python as the graph knows it.
type program struct{ *python.Program }

// StateReads implements graph.Program.
func (p program) StateReads() (keys []string, all bool) { return p.StateKeys() }

// compileCode compiles a run block, so that what is wrong with it is known
// when the agent is loaded.
func compileCode(_, source string) (graph.Program, []graph.CodeProblem) {
	p, err := python.Compile(source, python.Options{})
	if err == nil {
		return program{p}, nil
	}
	var found python.Errors
	if !errors.As(err, &found) {
		return nil, []graph.CodeProblem{{Line: 1, Col: 1, Message: err.Error()}}
	}
	problems := make([]graph.CodeProblem, len(found))
	for i, e := range found {
		problems[i] = graph.CodeProblem{Line: e.Line, Col: e.Col, Message: e.Msg, Hint: e.Hint}
	}
	return nil, problems
}

// placeInCode finds where in a run block an error happened, and says what did.
func placeInCode(err error) (line, col int, message string, ok bool) {
	var e *python.Error
	if !errors.As(err, &e) || e.Line == 0 {
		return 0, 0, "", false
	}
	message = e.Msg
	if e.Hint != "" {
		message += " (" + e.Hint + ")"
	}
	if e.Traceback != "" {
		message += "\n" + e.Traceback
	}
	return e.Line, e.Col, message, true
}
