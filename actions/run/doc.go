// Package runactions holds the actions that run code: one for each language
// that a node's run block can be written in. The engine turns a run block into
// a call of run.<language>; nodes may also use them by name.
package runactions
