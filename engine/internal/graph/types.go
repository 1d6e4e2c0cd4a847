package graph

import (
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/ioschema"
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// End is the target that ends the run (`__end__`).
const End = -1

// StartName is the name of the node that Compile makes when the edges from
// `__start__` have conditions. Its body is an empty Steps.
const StartName = "__start__"

// Graph is a compiled agent.
type Graph struct {
	Name      string // the document's name, else the file's base name
	Namespace string // default cache namespace
	File      string
	Digest    string // SHA-256 of the source in hex
	Source    *spec.Agent

	Nodes []*Node // Nodes[i].Index == i
	Entry int     // index into Nodes, or End

	Variables value.Value // object: `variables` in templates
	Initial   value.Value // object: initial_state
	Environ   value.Value // object: `env` in templates, what settings.env lists
	Secrets   []string    // names that the agent may read, sorted
	Settings  Settings
	Schemas   Schemas
}

// Settings are the document's settings with `${VAR}` expanded.
type Settings struct {
	Values value.Value // object: `settings` in templates
	LTM    string      // URL of the long-term memory, "" when not set
	Places Places
	Cache  value.Value // object: cache options for every node that caches; {} when not set
	Whole  cache.WholeSettings
	LLM    *Args // parameters of every call of a model, rendered once for each run; nil when not set
	Record Record
	Allow  []string // languages that settings.run.allow asks for
	// Programs are those that settings.run.programs asks for.
	Programs []string
	Limits   Limits
}

// Places are where the URLs of stores are written. Zero is nowhere.
type Places struct{ LTM, CacheStore diag.Pos }

// Record says what recordings of runs hold.
type Record struct {
	All         bool     // every Read and Write, not only what goes outward
	Normalize   []string // normalisers of the cassette
	OnExhausted string   // error, last, or "" when not set
}

// Limits bound a run.
type Limits struct {
	MaxSteps   int           // jumps back; DefaultMaxSteps when not set
	RunTimeout time.Duration // 0: none
	StateBytes int64         // size of the state as JSON; 0: none
}

// DefaultMaxSteps is how many jumps back a run may take when
// settings.limits.max_steps is not set.
const DefaultMaxSteps = 10_000

// Schemas are the declared shapes of what goes in and out. Nil: not declared.
type Schemas struct {
	State, Input *ioschema.Schema
	Output       *OutputSchema
}

// Node is one step of a graph, of a steps list or of a loop's body.
type Node struct {
	Name    string // unique in the graph; inner nodes without a name are "outer[0]"
	Pos     diag.Pos
	Index   int      // place in the list that holds the node
	If      *Expr    // nil: always; false: the node is skipped
	Body    Body     // never nil
	Output  Output   // where the body's result goes
	Routes  []Route  // in order, the first that holds is taken; none holds: no_route. Inner nodes have none
	OnError *OnError // nil: a failure ends the run
}

// Body is what a node does: *Call, *Steps or *Loop.
type Body interface{ body() }

// Call is a piece of work for a Handler.
type Call struct {
	Action actions.Action
	With   *Args      // never nil
	Cache  *CachePlan // the node's `cache:`; nil: none
	Code   *Code      // what a run block executes; nil for `uses`
}

// Steps are bodies in order on the node's state.
type Steps struct {
	Nodes []*Node
}

// Loop repeats its body while the condition holds, at most Max times.
type Loop struct {
	While *Expr
	Max   int
	Body  []*Node
}

func (*Call) body()  {}
func (*Steps) body() {}
func (*Loop) body()  {}

// Output says where a result goes. With neither Name nor Fields an object is
// merged into the state, and anything else is stored under "result".
type Output struct {
	Name   string  // the state key that takes the whole result
	Fields []Field // state keys, each with a template that sees `result`
}

// Merges tells whether the result itself is merged into the state.
func (o Output) Merges() bool { return o.Name == "" && len(o.Fields) == 0 }

// Field is a key with the template of its value.
type Field struct {
	Key   string
	Value *Tree
}

// Route is one way out of a node.
type Route struct {
	When *Expr // nil: always
	To   int   // index into Graph.Nodes, or End
}

// OnError handles a node's failure. First the failure goes into the state
// (state.error, and the result when Result is set), then Set, then the jump.
type OnError struct {
	Result  bool    // the failure becomes the node's result {success: false, error, error_type}
	Set     []Field // state keys to set
	Goto    int     // index into Graph.Nodes, or End; only when HasGoto
	HasGoto bool
}

// Code is what a run block executes.
type Code struct {
	Language string
	Source   string
	Text     spec.Text // where the code stands in the file
	Program  Program   // the compiled form; never nil
}

// Program is compiled code. Implementations are immutable.
type Program interface {
	// StateReads returns the state keys that the code names literally, sorted.
	// all is true when it may read any other key as well.
	StateReads() (keys []string, all bool)
}
