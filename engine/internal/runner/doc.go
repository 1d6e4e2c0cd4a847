// Package runner drives a [machine.Machine] on this computer: it renders a
// task's parameters on the task's state, sends the call through the chain on
// one of a bounded number of workers, reports the outcome to the machine, and
// tells the events in one order.
//
// One goroutine, the one that calls [Run], owns the machine. Workers see
// immutable values only.
package runner
