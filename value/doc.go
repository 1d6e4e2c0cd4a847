// Package value holds the one value model of tea: immutable JSON values with
// exact numbers.
//
// A [Value] is null, a boolean, an integer of any size, a float, a string, a
// list or an object. Integers and floats are different values: 1 and 1.0 have
// different canonical forms, and both survive a round trip through JSON text.
// Objects are kept sorted by key (the order of RFC 8785: by UTF-16 code
// units), so that no result ever depends on the order of a map.
//
// One further kind, the secret ([Secret]), is not JSON: it refers to a
// credential by name, may be joined with text, and is resolved only where a
// call is executed. It has no canonical form and never prints its content.
//
// Values are safe for concurrent use and cheap to copy and share.
package value
