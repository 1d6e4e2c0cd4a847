// Package grouptest lets the tests of an action group say in one line what an
// action yields or how it fails. The contract that all actions share is tested
// by package actiontest.
package grouptest
