// Package cache keeps the results of calls: it gives every call a key, looks
// the key up in long-term memory, runs the call when there is nothing to serve,
// and stores what came out.
//
// [Cache.Do] does all of that. A [Request] says what is called, a [Policy] how
// it is cached; Settings are the options as people write them in YAML. The
// other methods of [Cache] look at entries and remove them.
//
// # Keys
//
// A key reads cache:{namespace}:{action or custom}:{rest}, see [Key]. Its
// material, one digest and one short preview for every part that took part, is
// stored with the entry. The parts that tell whose result it is are compared on
// every hit, so that a custom key used by two actions never swaps results.
//
// # Failures
//
// A cache must never be the reason that an action fails. A key that cannot be
// built means that the call runs uncached; a store that is away, slow, full,
// read-only or damaged means the same, with the status "error", one warning in
// each run (see [Warnings]), and a circuit breaker that leaves the store alone
// for a while. Equal calls share one execution even then. Only a memory that can
// never be opened (ltm.ErrConfig) fails the calls: nobody asked for that.
//
// # Secrets
//
// A secret takes part in a key by its HMAC-SHA-256 under a random key that is
// made once for every store and kept in it, outside of all entries. So digests
// are stable across runs and machines that share a store, and tell nothing to
// someone who sees only keys. The secret itself stands neither in the key, nor
// in the material, nor in the metadata.
package cache
