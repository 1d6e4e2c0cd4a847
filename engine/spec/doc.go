// Package spec is the typed form of an agent's YAML document. It says what
// was written and where: every field knows its place, and every string can map
// an offset inside itself to a place in the file. It checks the shape of the
// document (keys, types, limits) and nothing that needs to know actions,
// templates or code; that is the graph's work.
//
// [Parse] is strict. An unknown key is an error with a suggestion, a key that
// the language has but this version has not is an error that says so, keys
// that begin with "x-" are free, and all problems are reported at once.
package spec
