package event

import (
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// Call says which call an event is about.
type Call struct {
	Node string `json:"node" doc:"Name of the node."`
	ID   string `json:"id" doc:"Path of the call: nodes, visit, iteration and the ordinal of an inner call."`
}

// Error is a failure as events tell it, without secrets.
type Error struct {
	Code    string `json:"code" doc:"Code from the closed set, such as unavailable."`
	Message string `json:"message" doc:"What went wrong."`
	Handled string `json:"handled,omitempty" doc:"How on_error dealt with it: goto, set or result; absent when nothing did."`
}

// Cache is what the cache did for a call.
type Cache struct {
	Status   string  `json:"status" doc:"hit, stale, miss, expired, refreshed, bypass, uncacheable or error."`
	Key      string  `json:"key,omitempty" doc:"The full cache key."`
	Reason   string  `json:"reason,omitempty" doc:"Why it came out so."`
	SavedMS  int64   `json:"saved_ms,omitempty" doc:"Milliseconds that the stored call had taken."`
	SavedUSD float64 `json:"saved_usd,omitempty" doc:"What the call would have cost in US dollars, as far as that is known."`
}

// CacheOf tells what a cache did for a call; nil for nothing.
func CacheOf(o *cache.Outcome) *Cache {
	if o == nil {
		return nil
	}
	return &Cache{Status: string(o.Status), Key: o.Key, Reason: o.Reason, SavedMS: o.Saved.Milliseconds(), SavedUSD: o.SavedUSD}
}

// RunStarted is the first event of every run.
type RunStarted struct {
	Agent  string `json:"agent" doc:"Name of the agent."`
	Digest string `json:"digest,omitempty" doc:"SHA-256 of the agent's compiled files."`
	Nodes  int    `json:"nodes" doc:"How many nodes the agent has."`
}

// NodeStarted says that a node's body begins.
type NodeStarted struct {
	Call
	Body string `json:"body" doc:"What the node is: an action's name, steps or while_loop."`
}

// NodeSkipped says that a node's if was false.
type NodeSkipped struct {
	Call
}

// NodeFinished says that a node's body ended, well or not.
type NodeFinished struct {
	Call
	DurationMS int64  `json:"duration_ms" doc:"Milliseconds since the node started."`
	Cache      *Cache `json:"cache,omitempty" doc:"What the cache did for the node's call."`
	LLMCache   *Cache `json:"llm_cache,omitempty" doc:"What the cache of model answers did for the node's call."`
	Error      *Error `json:"error,omitempty" doc:"Why the node failed."`
}

// CallStarted says that an action called another one.
type CallStarted struct {
	Call
	Action string `json:"action" doc:"The inner action."`
}

// CallFinished says how an inner call ended.
type CallFinished struct {
	Call
	Action     string `json:"action" doc:"The inner action."`
	DurationMS int64  `json:"duration_ms" doc:"Milliseconds since the call started."`
	Cache      *Cache `json:"cache,omitempty" doc:"What the cache did for the call."`
	LLMCache   *Cache `json:"llm_cache,omitempty" doc:"What the cache of model answers did for the call."`
	Error      *Error `json:"error,omitempty" doc:"Why the call failed."`
}

// Log is a line that a node printed or logged.
type Log struct {
	Call
	Level   string `json:"level" doc:"debug, info, warn or error; a print is info."`
	Message string `json:"message" doc:"The line, without secrets."`
}

// Chunk is a piece of a result that streams.
type Chunk struct {
	Call
	Data value.Value `json:"data" doc:"The piece."`
}

// LoopExhausted says that max_iterations ended a while_loop.
type LoopExhausted struct {
	Call
	Iterations int `json:"iterations" doc:"How often the body ran."`
}

// RouteTaken says where the run goes after a node of the graph.
type RouteTaken struct {
	Call
	To   string `json:"to" doc:"Name of the next node, or __end__."`
	Rule int    `json:"rule" doc:"Which of the node's routes it was, from 0; -1 for on_error."`
}

// RunFinished is the last event of every run. It has an output, or an error
// and the state.
type RunFinished struct {
	Nodes      int          `json:"nodes" doc:"How many nodes ran, each visit counted."`
	Hits       int          `json:"hits" doc:"How many calls the cache served."`
	Misses     int          `json:"misses" doc:"How many cached calls had to run."`
	DurationMS int64        `json:"duration_ms" doc:"Milliseconds that the run took."`
	SavedMS    int64        `json:"saved_ms" doc:"Milliseconds that the cache saved."`
	SavedUSD   float64      `json:"saved_usd,omitempty" doc:"US dollars that the cache of model answers saved, as far as that is known."`
	Output     *value.Value `json:"output,omitempty" doc:"What the run returned."`
	Error      *Error       `json:"error,omitempty" doc:"Why the run failed."`
	Node       string       `json:"node,omitempty" doc:"The node that failed."`
	State      *value.Value `json:"state,omitempty" doc:"The last state of a run that failed."`
}

// Type returns "run_started".
func (RunStarted) Type() string { return "run_started" }

// Type returns "node_started".
func (NodeStarted) Type() string { return "node_started" }

// Type returns "node_skipped".
func (NodeSkipped) Type() string { return "node_skipped" }

// Type returns "node_finished".
func (NodeFinished) Type() string { return "node_finished" }

// Type returns "call_started".
func (CallStarted) Type() string { return "call_started" }

// Type returns "call_finished".
func (CallFinished) Type() string { return "call_finished" }

// Type returns "log".
func (Log) Type() string { return "log" }

// Type returns "chunk".
func (Chunk) Type() string { return "chunk" }

// Type returns "loop_exhausted".
func (LoopExhausted) Type() string { return "loop_exhausted" }

// Type returns "route_taken".
func (RouteTaken) Type() string { return "route_taken" }

// Type returns "run_finished".
func (RunFinished) Type() string { return "run_finished" }

func (RunStarted) sealed()    {}
func (NodeStarted) sealed()   {}
func (NodeSkipped) sealed()   {}
func (NodeFinished) sealed()  {}
func (CallStarted) sealed()   {}
func (CallFinished) sealed()  {}
func (Log) sealed()           {}
func (Chunk) sealed()         {}
func (LoopExhausted) sealed() {}
func (RouteTaken) sealed()    {}
func (RunFinished) sealed()   {}
