// Package object holds the values of the embedded Python and what they can do:
// operators, comparison, hashing, text forms, formatting, and the methods of
// the built-in types.
//
// Everything keeps Python's meaning: strings are code points, True is 1,
// integers are exact, dictionaries keep their order, mutation is visible
// through every name. Every operation that can build something large or take
// long asks the Thread first, which bounds steps and memory.
//
// Values belong to one run and are not safe for concurrent use, but for those
// that never change (numbers, strings, tuples of such, builtins, modules),
// which programs share.
package object
