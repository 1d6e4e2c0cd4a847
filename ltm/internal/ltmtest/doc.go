// Package ltmtest is what the tests of the caches have in common: a clock that a
// test sets, a log that counts its warnings, and a store that fails on demand.
package ltmtest
