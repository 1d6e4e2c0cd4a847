// Package webtest is a stand-in for the services that web.search asks: it
// speaks the public API of each of them, finds what it is told to find, and
// remembers who asked for what.
package webtest
