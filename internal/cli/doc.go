// Package cli is the command: one file per subcommand. It is the composition
// root, which puts the shipped actions, filters and stores together, and the
// only place that writes to the terminal: data to stdout, all else to stderr.
package cli
