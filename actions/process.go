package actions

import "io"

// Process is a program to run.
type Process struct {
	// Argv is the program and its arguments. The program is looked for on the
	// path, unless it has a slash in it.
	Argv []string
	// Env are variables besides the few that every program gets.
	Env map[string]string
	// Stdin, Stdout and Stderr are its streams, nil for none. A program that may
	// end before its input does needs a file, such as the end of a pipe of the
	// system, for Stdin.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}
