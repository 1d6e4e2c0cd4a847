// Package llmcache keeps the answers of models: the same request is answered
// the second time byte for byte as the first, without asking the provider.
//
// [Cache.Wrap] does all of it around any call. [Key] names a request by the
// SHA-256 of its identity: the whole effective request, whatever parameters it
// has, as canonical JSON. [Cache.Get] and [Cache.Put] are the two halves for
// programs that make the call themselves.
//
// It is package cache with another policy: what that says of failing stores, of
// equal calls at the same time, of secrets and of damaged entries holds here
// too. The differences are these. Entries have no lifetime: [Cache.Evict]
// removes what nobody asks for. An entry holds the raw answer and the chunks of
// a stream beside the result, so that it can be replayed exactly. Entries count
// their hits, and every day its lookups, its hits and what they saved; these
// counts are gathered in memory and written in the background, never while a
// call waits. Entries and counts stand in a space of their own (driver.LLM).
package llmcache
