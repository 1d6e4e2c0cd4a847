// Package diag describes problems in a file the way a person wants to read
// them: where, what, the lines around it with a caret, and how to mend it.
// Problems are collected, so that all of them are shown at once.
package diag
