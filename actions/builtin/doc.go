// Package builtin is the one list of the actions that ship. Only what puts a
// program together imports it, and tests and examples.
package builtin
