// Package ioschema checks what goes into a run and what comes out of it
// against the shapes that a document declares: state_schema, input_schema and
// output_schema. A shape is written in the short form
//
//	query: str
//	limit: {type: int, default: 5, min: 1, max: 100}
//
// or as JSON Schema, as a whole or for a single key. Scalars are converted to
// the declared type where that loses nothing ("5" to 5), and all problems of a
// value are reported at once, each with its path.
package ioschema
