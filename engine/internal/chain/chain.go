package chain

import (
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
)

// Config is what the chain of one run works with.
type Config struct {
	Env       actions.Env // for every action; CallID, Node, Sink and Log are set for each call
	Files     Files       // for keys by a file's content; nil: no such key
	Cache     Cache       // nil: nothing is cached
	Quota     ltm.Quota   // of the whole cache
	Modes     Modes
	Models    Models
	Recording Recording
	Mock      Mock // nil: nothing is mocked
	Scrubber  *Scrubber
	Observer  Observer
	// Clock measures calls; nil is that of Env.
	Clock actions.Clock
	// Rand returns the random source of a call by its id; nil: all calls share
	// that of Env.
	Rand func(callID string) func() float64
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
	// Count takes a cache's part in a call: whether the cache served it, and
	// what that saved in time and US dollars.
	Count(hit bool, saved time.Duration, savedUSD float64)
	// CountModel takes a call that goes to a model.
	CountModel()
}

// New returns the handlers of a run, one for the calls of nodes and one for
// the calls that serve them: the registry's actions with everything around
// them. The order, outermost first, is the same for both:
//
//		effective → observe → record|replay → cache → llmcache → scrub → execute
//
//	  - effective completes the parameters of calls that ask a model by the
//	    agent's settings.llm, so that all that follows, and every key, is about
//	    the request that the model really gets. Other calls pass by, here and at
//	    llmcache.
//	  - observe sees what really came out, whatever served it. Inner calls become
//	    events; those of nodes are the machine's to tell.
//	  - record|replay is outside the caches: what was served is recorded,
//	    whatever served it, and a recording that was made warm replays cold. While
//	    it is at work, the caches are left alone (bypass), unless calls are to be
//	    recorded from them. Actions that work through others are not recorded; what
//	    they call is. Mocks of tests are in the place of the actions themselves.
//	  - cache is inside observe, so that a hit is observed like any other call.
//	  - llmcache is inside cache: a call with a cache policy of its own has asked
//	    for that one first, and what that one lacks may still be known here.
//	  - scrub is next to execute: nothing outside of it, neither caches nor
//	    recording nor log, ever sees the text of a secret, in a result or across
//	    the chunks of a stream.
//	  - execute finds the action and runs it. Here alone secrets are resolved.
//
// What is to come has its place: retry inside cache (equal calls in flight
// share the whole retried call, and only its final success is stored); then
// limit, and timeout inside it (waiting for a slot does not burn the timeout,
// which bounds one attempt):
//
//	… → llmcache → retry → limit → timeout → scrub → execute
func New(c Config) (node, inner actions.Handler) {
	if c.Clock == nil {
		c.Clock = c.Env.Clock
	}
	l := &links{Config: c, warnings: &cache.Warnings{}, bypass: c.Recording.bypass()}
	l.inner = l.handler(true)
	return l.handler(false), l.inner
}

// handler puts the middlewares around the actions.
func (l *links) handler(inner bool) actions.Handler {
	models := func(next actions.Handler) actions.Handler { return l.cached(l.answered(next)) }
	work := scrub(l.Scrubber)(l.execute())
	plain := l.mocked(inner, l.recorded(l.cached(work)), l.cached)
	model := l.mocked(inner, l.recorded(models(work)), models)
	return l.effective(l.observe(inner)(plain), l.observe(inner)(model))
}

// links are the middlewares of one run.
type links struct {
	Config
	inner    actions.Handler // what serves the calls that calls make
	warnings *cache.Warnings // of the caches, once per run
	bypass   string          // why caches are left alone; "": they are not
}
