// Package event is what a run tells about itself while it goes: a sealed set
// of events, each a versioned JSON object.
//
//	{"v":1,"seq":3,"ts":"2026-11-20T17:12:24.001Z","run":"r1","type":"node_started","node":"fetch","id":"fetch"}
//
// v, seq, ts, run and type stand in every event; the other keys belong to its
// type. seq counts from 1 within a run without gaps. [JSONSchema] describes
// every type, and is made from the Go types of this package. New keys and new
// types may come within a version; a change of what is there is a new version,
// and [Event.UnmarshalJSON] refuses one that is newer than this package.
package event
