// Package ltmtest is what the tests of stores and caches have in common: a clock
// that a test sets, a log that counts its warnings, what a store warns of, a store
// that fails on demand, and what must hold while a network is bad.
package ltmtest
