// Package shell asks a command line tool of this machine: the prompt goes to
// its standard input, what it writes is the answer.
//
// Which model speaks and how is for the command's arguments to say. Texts and a
// wish for JSON reach the tool, and the texts to stop at are applied to its
// answer; temperature, seed and the bound of tokens do not reach it.
package shell
