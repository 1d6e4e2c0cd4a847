// Package textdiff compares texts line by line.
package textdiff
