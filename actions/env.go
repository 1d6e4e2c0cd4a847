package actions

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/blob"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// Env is an action's only door outwards. The engine fills in all of it. Where
// somebody else does, [Action.Handle] completes it, but for the fields that say
// that they may be nil.
type Env struct {
	// Memory is the user's memory, as this agent sees it; nil where there is
	// none.
	Memory *ltm.Memory
	// Cache holds results of calls, for the actions that look after it; calls
	// are cached by the chain. It may be nil outside the engine.
	Cache *cache.Cache
	// Storage opens files by URI. It may be nil outside the engine.
	Storage *blob.Storage
	// Namespace is the default cache namespace of the agent.
	Namespace string
	// AgentID identifies the agent, also one without a name.
	AgentID string
	// HTTP is the client for every request.
	HTTP *http.Client
	// Secrets returns the text of a secret by name.
	Secrets func(name string) (string, error)
	// Credential returns a credential of the program's own by the name of its
	// environment variable, such as OPENAI_API_KEY. It is for the actions that
	// log on to a service; no agent reads it.
	Credential func(name string) (string, error)
	// Exec runs a program of this machine to its end, which that of ctx brings
	// about, as far as the agent asks for it and the user grants it. Nil: no
	// program may be started.
	Exec func(ctx context.Context, p Process) error
	// Clock tells the time.
	Clock Clock
	// Rand returns a random number in [0, 1).
	Rand func() float64
	// Log takes what a person may want to read.
	Log *slog.Logger
	// Scratch holds the values of this run.
	Scratch *Scratch
	// Registry knows all actions. It may be nil outside the engine.
	Registry *Registry
	// Filters are those that templates and expressions know. It may be nil
	// outside the engine.
	Filters *filters.Set

	// CallID, Node and Sink are those of the call; Sink is never nil.
	CallID, Node string
	Sink         func(Chunk)
	// Keep takes what the other side sent, byte for byte, where that is more
	// than the result shows: it becomes the Raw of the call's [Meta]. The last
	// one counts. It is never nil.
	Keep func(raw []byte)

	invoke  Handler
	ordinal *atomic.Int64 // of the next child call
}

// WithInvoker returns a copy of e whose Invoke goes through h. It is for the
// engine, which alone knows the chain.
func (e Env) WithInvoker(h Handler) Env {
	e.invoke = h
	return e
}

// Invoke calls another action, by either of its names, through the whole chain.
// The child's call ID is that of this call with an ordinal, in the order of the
// calls to Invoke; chunks of the child go to this call's sink. An unknown
// action is an error with the code not_found, an environment without a chain
// one with the code unsupported.
func (e Env) Invoke(ctx context.Context, action string, input value.Value, p Policy) (Result, error) {
	if e.invoke == nil || e.ordinal == nil {
		return Result{}, Errorf(CodeUnsupported, "actions cannot be invoked from here (wanted %q)", action)
	}
	if e.Registry != nil {
		a, ok := e.Registry.Lookup(action)
		if !ok {
			return Result{}, &Error{Code: CodeNotFound, Message: e.Registry.unknown(action)}
		}
		action = a.Spec().Name
	}
	return e.invoke(ctx, &Call{
		ID:     e.CallID + "/" + strconv.FormatInt(e.ordinal.Add(1), 10),
		Node:   e.Node,
		Action: action,
		Input:  input,
		Policy: p,
		Sink:   e.Sink,
	})
}

// forCall returns e as the action sees it: bound to c, with defaults for what
// was left out.
func (e Env) forCall(c *Call) Env {
	e.CallID, e.Node, e.Sink = c.ID, c.Node, c.Sink
	e.ordinal = new(atomic.Int64)
	if e.Sink == nil {
		e.Sink = func(Chunk) {}
	}
	if e.HTTP == nil {
		e.HTTP = &http.Client{}
	}
	if e.Secrets == nil {
		e.Secrets = noSecrets
	}
	if e.Credential == nil {
		e.Credential = noCredential
	}
	if e.Clock == nil {
		e.Clock = SystemClock{}
	}
	if e.Rand == nil {
		e.Rand = rand.Float64 //nolint:forbidigo // the default of an injected source
	}
	if e.Log == nil {
		e.Log = slog.New(slog.DiscardHandler)
	}
	if e.Scratch == nil {
		e.Scratch = new(Scratch)
	}
	return e
}

func noCredential(name string) (string, error) {
	return "", Errorf(CodeCredentialMissing, "the credential %s is not set", name)
}

func noSecrets(name string) (string, error) {
	return "", Errorf(CodeCredentialMissing, "no secret %q: secrets are not available here", name)
}
