package object

import (
	"context"
	"time"
)

// Host is what a run lends to its code. Fields may be nil where the code can do
// without.
type Host struct {
	Print  func(line string)
	Now    func() time.Time
	Uint64 func() uint64 // randomness
}

// Thread is one run of a program: its limits, its door to the host and its
// stack. It is used by one goroutine.
type Thread struct {
	World *World
	Host  Host

	ctx      context.Context
	steps    uint64
	maxSteps uint64
	check    uint64 // the step at which to look at ctx again
	mem      memory
	depth    int // of nested calls
	nest     int // of nested Go recursion over data
	lastID   uint64
	partial  []byte // what print has written of the current line
}

// Limits bounds a run.
type Limits struct {
	Steps uint64
	Bytes int64
}

// MaxCallDepth is how deep calls may nest, as in CPython.
const MaxCallDepth = 1000

// maxDataDepth bounds recursion over nested data.
const maxDataDepth = 400

const checkEvery = 1024

// NewThread makes a thread. Its context ends the run when it is done.
func NewThread(ctx context.Context, w *World, h Host, l Limits) *Thread {
	t := &Thread{World: w, Host: h, ctx: ctx, maxSteps: l.Steps, check: 0}
	t.mem.max = l.Bytes
	return t
}

// Context is the run's context.
func (t *Thread) Context() context.Context { return t.ctx }

// Step counts n steps and fails when there are too many or the run is over.
func (t *Thread) Step(n uint64) error {
	t.steps += n
	if t.steps < t.check {
		return nil
	}
	return t.slowStep()
}

func (t *Thread) slowStep() error {
	if t.steps > t.maxSteps {
		return &Exception{
			Kind: "TimeoutError", Fatal: true,
			Args: []Object{NewStr("the code took too many steps (limit " + Int(t.maxSteps).text() + ")")},
			Hint: "is there a loop that never ends? Use `language: python3` for heavy computation",
		}
	}
	if err := t.ctx.Err(); err != nil {
		cause := context.Cause(t.ctx)
		return &Exception{Kind: "TimeoutError", Fatal: true, Cause: cause, Args: []Object{NewStr("the run was stopped: " + cause.Error())}}
	}
	t.check = min(t.steps+checkEvery, t.maxSteps+1)
	return nil
}

// Work counts the steps of a native operation that touches n elements.
func (t *Thread) Work(n int) error { return t.Step(uint64(n) / 16) }

// Enter counts one more nested call; Leave ends it.
func (t *Thread) Enter() error {
	if t.depth >= MaxCallDepth {
		return Errorf("RecursionError", "maximum recursion depth exceeded").
			WithHint("calls nest deeper than %d", MaxCallDepth)
	}
	t.depth++
	return nil
}

// Leave ends what Enter began.
func (t *Thread) Leave() { t.depth-- }

// descend bounds recursion over nested data; ascend ends it.
func (t *Thread) descend(doing string) error {
	if t.nest >= maxDataDepth {
		return Errorf("RecursionError", "maximum recursion depth exceeded %s", doing)
	}
	t.nest++
	return nil
}

func (t *Thread) ascend() { t.nest-- }

// Descend and Ascend are for modules that walk nested data themselves.
func (t *Thread) Descend(doing string) error { return t.descend(doing) }

// Ascend ends what Descend began.
func (t *Thread) Ascend() { t.ascend() }

// NextID returns a number that is unique within the run.
func (t *Thread) NextID() uint64 {
	t.lastID++
	return t.lastID
}

// Write adds text to the run's output, which is handed on line by line.
func (t *Thread) Write(s string) {
	if t.Host.Print == nil {
		return
	}
	start := 0
	for i := range len(s) {
		if s[i] == '\n' {
			t.Host.Print(string(t.partial) + s[start:i])
			t.partial, start = t.partial[:0], i+1
		}
	}
	t.partial = append(t.partial, s[start:]...)
}

// Flush hands on an unfinished last line.
func (t *Thread) Flush() {
	if len(t.partial) > 0 && t.Host.Print != nil {
		t.Host.Print(string(t.partial))
		t.partial = nil
	}
}
