package actions

import (
	"context"
	"time"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// Handler does a piece of work. It is safe for concurrent use, observes ctx,
// and on an error its Result means nothing.
type Handler func(ctx context.Context, c *Call) (Result, error)

// Middleware is what is done about a call: it turns a handler into one that
// does the same and something more.
type Middleware func(Handler) Handler

// Call is a piece of work to do. It is not changed once it is made; a
// middleware that needs another one copies it.
type Call struct {
	// ID names the call within its run, alike in every run of equal course:
	// frame path, visit, iteration and ordinal of the invocation.
	ID string
	// Node is the name of the node that the call serves.
	Node string
	// Action is the canonical name of the action.
	Action string
	// Input is an object, or null for an empty one. It may hold secrets.
	Input value.Value
	// Late holds, for top-level parameters with mode:"late", why rendering
	// failed. Such a parameter is absent from Input.
	Late map[string]error
	// Policy is what the middlewares are to do about the call.
	Policy Policy
	// Sink receives chunks as they come, one at a time; nil drops them.
	Sink func(Chunk)
}

// Policy says how a call is to be carried out. The zero Policy asks for
// nothing.
type Policy struct {
	// Cache says how the result is cached; nil does not.
	Cache *cache.Policy
}

// Result is what a call yields.
type Result struct {
	Output value.Value
	Meta   Meta
}

// Meta tells how a result came about.
type Meta struct {
	// Cache says what the cache did, nil if it was not asked.
	Cache *cache.Outcome
	// Answer says what the LLM response cache did, nil if it was not asked.
	Answer *cache.Outcome
	// Duration is how long the work took, 0 if unknown.
	Duration time.Duration
	// Raw is what the other side sent, see [Env.Keep]; nil if there is no such
	// thing.
	Raw []byte
}

// Chunk is a part of a result that is still under way.
type Chunk struct {
	Data value.Value
	At   time.Time
}
