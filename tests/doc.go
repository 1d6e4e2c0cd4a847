// Package tests holds what looks at the whole house: the import rules, the
// command's behaviour as txtar stories, the examples and the documents.
package tests
