package runactions

import (
	"context"
	"sync"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/run/python"
	"github.com/tea-agents/tea/value"
)

// Actions returns the actions of this group.
func Actions() []actions.Action { return []actions.Action{Python()} }

// pythonInput is what a run block works on.
type pythonInput struct {
	Code      string      `json:"code" doc:"The Python code."`
	State     value.Value `json:"state,omitempty" doc:"What the code sees as state, a copy: an object."`
	Variables value.Value `json:"variables,omitempty" doc:"What the code sees as variables."`
	Secrets   []string    `json:"secrets,omitempty" doc:"Names of the secrets that the code may read."`
}

// pythonOutput is what a run block leaves.
type pythonOutput struct {
	Update value.Value `json:"update" doc:"The keys of the state that the code changed or returned."`
}

// Python returns run.python: Python in this process, without files and
// network. What the code prints goes to the log; actions("name", {...}) goes
// through the whole chain.
func Python() actions.Action {
	known := &programs{}
	return actions.Define(actions.Spec{
		Name: "run.python", Version: 1, Effect: actions.Compose,
		Summary: "Runs Python code on a copy of the state.",
		Doc: "The code runs in this process, sandboxed, with `state`, `variables`, `secrets` and `actions` in scope. " +
			"With a `return` its object is the update; without one, changed keys of `state` and new top-level names are. " +
			"A node's `run:` block is the short way to write this, and merges the update into the state.",
		Examples: []actions.Example{{
			Title:  "Compute a value",
			YAML:   "- name: double\n  uses: run.python\n  with:\n    code: 'return {\"twice\": 2 * state[\"n\"]}'\n    state: {n: 21}\n  output: {answer: \"{{ result.update.twice }}\"}\n",
			Output: `{"answer": 42}`,
		}},
	}, func(ctx context.Context, env actions.Env, in pythonInput) (pythonOutput, error) {
		if k := in.State.Kind(); k != value.KindObject && k != value.KindNull {
			return pythonOutput{}, actions.Errorf(actions.CodeInvalidInput, "state is a %s; it must be an object", k)
		}
		p, err := known.compile(in.Code)
		if err != nil {
			return pythonOutput{}, actions.Errorf(actions.CodeInvalidInput, "%w", err)
		}
		update, err := p.Run(ctx, callOf(env, in))
		return pythonOutput{Update: update}, err
	})
}

// callOf opens to the code what it may see of its surroundings.
func callOf(env actions.Env, in pythonInput) python.Call {
	return python.Call{
		State:       in.State,
		Globals:     map[string]value.Value{"variables": in.Variables},
		Secrets:     env.Secrets,
		SecretNames: in.Secrets,
		Actions: func(ctx context.Context, name string, args value.Value) (value.Value, error) {
			r, err := env.Invoke(ctx, name, args, actions.Policy{})
			return r.Output, err
		},
		Print: func(line string) { env.Log.Info(line) },
		Now:   env.Clock.Now,
		Rand:  source{env.Rand},
	}
}

// source makes random bits of random numbers in [0, 1).
type source struct{ rand func() float64 }

// Uint64 implements rand.Source.
func (s source) Uint64() uint64 {
	const half = 1 << 32
	return uint64(s.rand()*half)<<32 | uint64(s.rand()*half)
}

// programs remembers compiled code by its text.
type programs struct {
	mu    sync.Mutex
	known map[string]*python.Program
}

// maxPrograms bounds what is remembered; beyond it everything is forgotten.
const maxPrograms = 256

func (p *programs) compile(code string) (*python.Program, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.known[code]; known != nil {
		return known, nil
	}
	program, err := python.Compile(code, python.Options{})
	if err != nil {
		return nil, err
	}
	if p.known == nil || len(p.known) >= maxPrograms {
		p.known = map[string]*python.Program{}
	}
	p.known[code] = program
	return program, nil
}
