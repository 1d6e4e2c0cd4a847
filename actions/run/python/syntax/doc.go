// Package syntax reads Python source into a tree and finds out which variable
// every name stands for. It reports all problems at once, and says of the parts
// of the language that the embedded Python leaves out which they are.
package syntax
