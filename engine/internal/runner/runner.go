package runner

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/machine"
	"github.com/tea-agents/tea/filters"
)

// Config is what a run is driven with.
type Config struct {
	Handler actions.Handler  // the chain, for calls of nodes
	Inner   actions.Handler  // the chain, for the calls that serve them
	Names   filters.MapScope // what templates see besides the state: machine.Names
	Teller  *Teller
	Log     *slog.Logger
	Place   Place // of errors in code
	Workers int   // how many calls run at once; 0: 16
}

// Place finds where in a run block, from 1, an error happened, and says what
// did; ok is false for an error that is not of code.
type Place func(err error) (line, col int, message string, ok bool)

// grace is how long a cancelled run waits for its calls to return.
const grace = 2 * time.Second

// outcome is a task with how it ended.
type outcome struct {
	task machine.Task
	machine.Outcome
}

// drive is one run under way.
type drive struct {
	Config
	machine  *machine.Machine
	tasks    chan machine.Task // to idle workers
	outcomes chan outcome
	gone     chan struct{}  // closed when the run is over
	waiting  []machine.Task // for a worker
	workers  int            // so far
	running  int            // tasks with a worker, and waiting ones
}

// Run drives m from its first step to its end and returns how it ended. When
// ctx ends first, the run is cancelled with the context's cause; its calls
// get a moment to return, and those that do not are left behind.
func Run(ctx context.Context, m *machine.Machine, first machine.Step, c Config) machine.Done {
	const defaultWorkers = 16
	if c.Workers <= 0 {
		c.Workers = defaultWorkers
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &drive{Config: c, machine: m, tasks: make(chan machine.Task), outcomes: make(chan outcome), gone: make(chan struct{})}
	defer close(d.gone)
	return d.loop(ctx, first)
}

// loop carries out steps until one of them ends the run.
func (d *drive) loop(ctx context.Context, step machine.Step) machine.Done {
	for {
		d.tell(step)
		if step.Done != nil {
			return *step.Done
		}
		for _, t := range step.Tasks {
			d.launch(ctx, t)
		}
		step = d.await(ctx)
	}
}

// await waits for an outcome, or for the end of ctx.
func (d *drive) await(ctx context.Context) machine.Step {
	for {
		var idle chan<- machine.Task
		var next machine.Task
		if len(d.waiting) > 0 {
			idle, next = d.tasks, d.waiting[0]
		}
		select {
		case o := <-d.outcomes:
			return d.complete(ctx, o)
		case idle <- next:
			d.waiting = d.waiting[1:]
		case <-ctx.Done():
			return d.windDown(ctx)
		}
	}
}

func (d *drive) tell(step machine.Step) {
	for _, e := range step.Events {
		d.Teller.Tell(e)
	}
}

// complete reports an outcome. A failure after the end of ctx is the
// cancellation's doing.
func (d *drive) complete(ctx context.Context, o outcome) machine.Step {
	d.running--
	if ctx.Err() != nil && o.Err != nil {
		return machine.Step{}
	}
	return d.machine.Complete(o.task.ID, o.task.Epoch, o.Outcome)
}

// windDown ends a run whose context has ended: what succeeds in spite of that,
// within grace, is kept, and nothing new begins.
func (d *drive) windDown(ctx context.Context) machine.Step {
	wait, stop := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer stop()
	d.running -= len(d.waiting)
	d.waiting = nil
	for d.running > 0 {
		select {
		case o := <-d.outcomes:
			step := d.complete(ctx, o)
			if step.Done != nil {
				return step
			}
			d.tell(step)
		case <-wait.Done():
			d.Log.Warn("calls did not return after the run was canceled", "calls", d.running)
			return d.machine.Cancel(canceled(context.Cause(ctx)))
		}
	}
	return d.machine.Cancel(canceled(context.Cause(ctx)))
}

// canceled gives a cancellation's cause the code that it lacks.
func canceled(cause error) error {
	if code := actions.CodeOf(cause); code == actions.CodeTimeout || code == actions.CodeCanceled {
		return cause
	}
	return actions.Errorf(actions.CodeCanceled, "the run was canceled: %w", cause)
}

// launch gives a task to an idle worker, else to a new one as long as there may
// be more, else it lets the task wait. Workers are kept, as a stack that has
// grown once is worth keeping.
func (d *drive) launch(ctx context.Context, t machine.Task) {
	d.running++
	select {
	case d.tasks <- t:
		return
	default:
	}
	if d.workers == d.Workers {
		d.waiting = append(d.waiting, t)
		return
	}
	d.workers++
	go d.work(ctx, t)
}

// work executes a task, and others as they come, until the run is over.
func (d *drive) work(ctx context.Context, t machine.Task) {
	for {
		o := outcome{task: t, Outcome: d.guarded(ctx, t)}
		select {
		case d.outcomes <- o:
		case <-d.gone:
			return
		}
		select {
		case t = <-d.tasks:
		case <-d.gone:
			return
		}
	}
}

// guarded executes a task; a panic on the way is a failure of ours.
func (d *drive) guarded(ctx context.Context, t machine.Task) (o machine.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			d.Log.Error("panic", "node", t.Node.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			o = machine.Outcome{Err: actions.Errorf(actions.CodeInternal, "panic: %v", p)}
		}
	}()
	call, err := d.call(ctx, t)
	if err != nil {
		return machine.Outcome{Err: err}
	}
	o.Result, o.Err = d.Handler(ctx, call)
	if t.Call.Code != nil {
		o.Result.Output = o.Result.Output.At(resultUpdate)
		o.Err = d.placed(t, o.Err)
	}
	return o
}
