package chain

import (
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/ltm/cache"
)

// Config is what the chain of one run works with.
type Config struct {
	Env      actions.Env // for every action; CallID, Node, Sink and Log are set for each call
	Files    Files       // for keys by a file's content; nil: no such key
	Cache    Cache       // nil: nothing is cached
	Modes    Modes
	Scrubber *Scrubber
	Observer Observer
}

// Modes say from outside of the calls what the cache may do for them. Nil says
// nothing.
type Modes struct {
	Chosen *cache.Mode // at most, for calls that choose a mode themselves: see cache.Policy.Cap
	Other  *cache.Mode // for all other calls
}

// cap returns p as far as the modes let it.
func (m Modes) cap(p cache.Policy) cache.Policy {
	mode := m.Other
	if p.Explicit {
		mode = m.Chosen
	}
	if mode == nil {
		return p
	}
	return p.Cap(*mode)
}

// Observer is told what happens. It is safe for concurrent use.
type Observer interface {
	// Tell takes an event.
	Tell(event.Body)
	// Count takes the cache's part in a call: whether the cache served it, and
	// what that saved.
	Count(hit bool, saved time.Duration)
}

// New returns the handlers of a run, one for the calls of nodes and one for
// the calls that serve them: the registry's actions with everything around
// them. The order, outermost first, is the same for both:
//
//		observe → cache → scrub → execute
//
//	  - observe sees what really came out, whatever served it. Inner calls become
//	    events; those of nodes are the machine's to tell.
//	  - cache is inside observe, so that a hit is observed like any other call.
//	  - scrub is next to execute: nothing outside of it, neither cache nor log,
//	    ever sees the text of a secret.
//	  - execute finds the action and runs it. Here alone secrets are resolved.
//
// What is to come has its place: record|replay between observe and cache
// (what was served is recorded, whatever served it); retry inside cache (equal
// calls in flight share the whole retried call, and only its final success is
// stored); then limit, and timeout inside it (waiting for a slot does not burn
// the timeout, which bounds one attempt):
//
//	observe → record|replay → cache → retry → limit → timeout → scrub → execute
func New(c Config) (node, inner actions.Handler) {
	l := &links{Config: c, warnings: &cache.Warnings{}}
	inside := l.cached(scrub(c.Scrubber)(l.execute()))
	l.inner = l.observe(true)(inside)
	return l.observe(false)(inside), l.inner
}

// links are the middlewares of one run.
type links struct {
	Config
	inner    actions.Handler // what serves the calls that calls make
	warnings *cache.Warnings // of the cache, once per run
}
