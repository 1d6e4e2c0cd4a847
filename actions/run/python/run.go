package python

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/tea-agents/tea/actions/run/python/interp"
	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/value"
)

// The limits of a run that sets none.
const (
	DefaultMaxSteps = 50_000_000
	DefaultMaxAlloc = 256 << 20
)

// Call is what a run gets from outside. The zero Call runs code on an empty
// state.
type Call struct {
	State       value.Value                       // an object; the code sees a copy
	Globals     map[string]value.Value            // further names in scope, such as variables
	Secrets     func(name string) (string, error) // secrets["X"]; nil: there are none
	SecretNames []string                          // the names that exist, for messages
	Actions     ActionFunc                        // actions("name", {...}); nil: an error
	Print       func(line string)                 // a line that print wrote; nil drops it
	Now         func() time.Time                  // nil: the modules time and datetime have no clock
	Rand        rand.Source                       // nil: random and uuid4 are errors
	MaxSteps    uint64                            // 0: DefaultMaxSteps
	MaxAlloc    int64                             // bytes; 0: DefaultMaxAlloc
}

// ActionFunc runs an action with an object of arguments.
type ActionFunc func(ctx context.Context, name string, args value.Value) (value.Value, error)

// Run runs the code and returns the update of the state, an object: the
// top-level keys of the state that the code changed (a deleted one is null),
// and over them the keys of the object that it returned. A returned value that
// is no object becomes {"result": value}; None is no update. Code without any
// return statement also updates the state with its new top-level names that
// hold JSON values and don't begin with an underscore.
//
// Errors are of type *Error.
func (p *Program) Run(ctx context.Context, c Call) (value.Value, error) {
	t := object.NewThread(ctx, p.world, c.host(), c.limits())
	state, _ := object.FromValue(c.State).(*object.Dict)
	if state == nil {
		state = object.NewDict("dict")
	}
	r := interp.New(t, p.file, c.scope(state))
	result, err := r.Execute()
	t.Flush()
	if err != nil {
		return value.Value{}, p.opts.runError(err)
	}
	u := updater{p: p, t: t, run: r}
	out, err := u.update(c.State, state, result)
	if err != nil {
		return value.Value{}, p.opts.runError(err)
	}
	return out, nil
}

func (c Call) host() object.Host {
	h := object.Host{Print: c.Print, Now: c.Now}
	if c.Rand != nil {
		h.Uint64 = c.Rand.Uint64
	}
	return h
}

func (c Call) limits() object.Limits {
	l := object.Limits{Steps: c.MaxSteps, Bytes: c.MaxAlloc}
	if l.Steps == 0 {
		l.Steps = DefaultMaxSteps
	}
	if l.Bytes == 0 {
		l.Bytes = DefaultMaxAlloc
	}
	return l
}

// scope makes the names that the code sees besides the builtins.
func (c Call) scope(state *object.Dict) map[string]object.Object {
	pre := make(map[string]object.Object, len(c.Globals)+3)
	for name, v := range c.Globals {
		pre[name] = object.FromValue(v)
	}
	pre["state"] = state
	pre["secrets"] = &secrets{lookup: c.Secrets, names: c.SecretNames}
	pre["actions"] = &actions{run: c.Actions}
	return pre
}
