// Package filters compiles and evaluates what stands between {{ }} and {% %}:
// Jinja2's expressions, filters, tests and tags on [value.Value].
//
// A [Set] knows the filters. [Set.Compile] makes a [Template] of a string,
// [Set.CompileExpr] an [Expr] of a bare expression such as a condition. Both
// are compiled once, are immutable and safe for concurrent use, and are run
// against a [Scope] that gives names their values.
//
// # How it works
//
// The expressions are lifted out of the template: each is compiled by the
// parser of this package and evaluated by its own evaluator. What is left, a
// skeleton of text, if and for, is run by pongo2, which calls back for every
// expression. pongo2 thus never sees data, names or user text that it could
// take for its own syntax, and nothing of Go is reachable from a template. A
// string that is exactly one {{ expression }} never enters pongo2 and yields
// the value itself, with its type.
//
// # Where it differs from Jinja2, on purpose
//
//   - Lists and objects print as JSON, keys sorted; objects iterate in the
//     order of their keys; tuples are lists.
//   - Missing names are errors inside text and where something is done with
//     them, so that nothing is silently empty; default replaces null too.
//   - Integers and floats stay exact; a float that is not finite is an error.
//   - Secrets can be inserted into text and nothing else.
//   - There are no macros, blocks, includes or imports, and no HTML escaping
//     unless a template asks for it.
//
// # Limits
//
// A template comes from a file that someone may not have read. Steps
// ([MaxSteps]), output ([MaxOutput]), nesting ([MaxDepth]) and the context's
// deadline bound what one evaluation can cost, also inside single operations.
package filters
