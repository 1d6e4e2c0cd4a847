// Package graph is the compiled form of an agent: a document whose names,
// templates, expressions, code and parameters have all been checked, lowered
// to nodes and routes. A [Graph] is immutable and safe for concurrent use.
//
// [Compile] turns a [spec.Agent] into a Graph, or says everything that is
// wrong with it at once, each problem with its place in the file.
package graph
