// Package engine runs agents that are written in YAML. It is the whole public
// API for programs that embed tea:
//
//	e, err := engine.New(&engine.Options{Actions: builtin.Actions()})
//	agent, err := e.Load("agent.yaml")        // every problem at once, with its place
//	run, err := e.Start(ctx, agent, input, nil)
//	for ev := range run.Events() { … }
//	result, err := run.Wait()
//	err = e.Close()
//
// An [Engine] holds what runs share: actions, stores, clients. An [Agent] is a
// compiled file. A [Run] is one execution of an agent.
package engine
