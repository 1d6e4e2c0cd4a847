// Package doctor examines a memory: whether its store can be reached, may be
// read and written, does what the rest of tea builds on, and how fast it is.
//
// It works in a scratch namespace, whose entries it removes in the end and which
// expire should it not come to that; it changes nothing else.
package doctor
