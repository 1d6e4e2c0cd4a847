// Package ltm is long-term memory: JSON values under keys that outlive a run.
//
// A [Memory] is what its users hold. It opens by URL through a [Mux], keeps
// values with metadata and an expiry, finds them again by key, pattern, text or
// metadata, and verifies a checksum before it believes what a store returns.
// Behind it stands a driver.Store, which sees bytes only.
//
//	m, err := builtin.Mux().Open(ctx, "sqlite:agent.db", nil)
//	created, err := m.Put(ctx, "greeting", value.String("hello"), nil)
//	e, err := m.Get(ctx, "greeting")
//
// Keys live in a namespace of a space. The space keeps kinds apart: what a
// cache stores never shows up in a search of what a user stored.
package ltm
