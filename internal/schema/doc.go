// Package schema turns a Go struct with tags into everything that is derived
// from a declaration: a decoder that reports all problems at once, a check for
// load time, an encoder, a JSON Schema and a list of fields for documentation.
//
// A field is declared by its tags:
//
//	URL     string        `json:"url" doc:"Address to fetch." example:"https://example.org"`
//	Method  string        `json:"method" doc:"HTTP method." enum:"GET,POST" default:"GET"`
//	Retries int           `json:"retries,omitempty" doc:"Attempts after the first." min:"0" max:"10"`
//	Timeout time.Duration `json:"timeout" doc:"Bound of one attempt." default:"30s"`
//
// A field is required unless it is a pointer or has omitempty or a default. An
// absent or null optional field takes its default, else its zero value; an
// optional struct without required fields takes the defaults of its fields.
//
// Types are strings, booleans, signed integers, floats, [time.Duration] ("90m",
// "1d12h", or seconds), [value.Value] (anything, null included), [Rendered],
// structs, and slices, maps with string keys and pointers of these. Embedded
// structs are flattened. A type cannot contain itself.
//
// The tags min and max bound a number or a duration, or the length of a
// string (in characters), a list or a map. The tag enum lists the strings
// that a string, or each element of a list or map of strings, may be. The tag
// mode is "expr" on a string that holds an expression, which is evaluated later
// and never rendered as a template, and "late" on a [Rendered].
//
// A scalar is converted to the declared type where that loses nothing: "5" to
// 5, 5 to "5", 5.0 to 5, "true" to true.
package schema
