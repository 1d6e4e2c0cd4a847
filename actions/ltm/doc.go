// Package ltmactions has the actions of the group ltm: values that outlive the
// run, in the agent's long-term memory.
package ltmactions
