// Package actions holds the contract between the engine and everything that
// does work: an [Action] is declared once, as a typed Go function with a
// [Spec], by [Define]; a [Registry] finds it by name; it is run by a [Handler],
// around which every [Middleware] stands; and [Env] is its only door outwards.
//
// An action fails by returning an error. Errors carry a [Code] from a closed
// set, from which exit status, HTTP status and retry follow.
package actions
