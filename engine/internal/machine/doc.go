// Package machine is the scheduler of a run as a pure machine. It owns the
// run's state and a tree of frames, decides what runs next, and leaves the
// running to its driver:
//
//	step, err := m.Start(input)          // tasks to execute, events to tell
//	step = m.Complete(id, epoch, outcome) // more of them, or step.Done
//
// The machine starts no goroutine, reads no clock, opens no file and draws no
// random number. Equal inputs and outcomes give equal states, events and
// tasks, whatever the timing and however often an outcome is delivered.
//
// # Frames
//
// A frame is a list of nodes under way: the graph itself (the root), the inner
// nodes of a steps node, the body of a while_loop. It knows its parent by the
// parent's id, so frames form a tree, and everything in it is data: see
// [Machine.Snapshot].
//
// # Call ids
//
// A task's id is the path to its node: the names from the root, joined by "/",
// with "@2" for the second visit of a node (after a jump back) and ":3" for
// the third iteration of a loop, as in "poll@2:3/fetch". Within a run no id
// comes twice; runs that go the same way have the same ids.
//
// # Termination
//
// Jumps back are bounded by the graph's limits, loops by their max_iterations,
// and what the machine does between two tasks by a budget of transitions. So
// every run ends, whatever its outcomes are.
package machine
