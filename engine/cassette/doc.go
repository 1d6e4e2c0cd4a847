// Package cassette records calls and plays them back: the model calls and
// requests of an agent, of a Go test, or of any program that speaks HTTP.
//
// A cassette is a file (YAML or JSON, by its extension) made for review and
// version control, or a directory of one JSON file per call with an SQLite
// index, for large suites. A [Session] is one use of it in a [Mode]: ask
// [Session.Lookup] before a call, [Session.Add] what came of it, or let
// [Session.Do] see to both; [Session.Finish] writes. In Go tests, [Open] does
// all that belongs to a test.
//
// Calls are found by the SHA-256 of their canonical request, exactly: another
// space, another digit of a float, and it is another call, unless a normaliser
// is declared, which the cassette then names. Several answers to one request
// are kept and served in order. What looks like a credential is masked before
// anything is hashed or written.
package cassette
