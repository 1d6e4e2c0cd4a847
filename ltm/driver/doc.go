// Package driver holds what a long-term memory store has to implement.
//
// Users hold an ltm.Memory, which owns JSON, expiry, key rules, checksums and
// error text. A driver keeps bytes with indexed metadata under a [Key] and
// knows nothing of what they mean. The few methods that every driver has are in
// [Store]; what only some do fast, such as [FullText] or [Expirer], are
// interfaces of their own, for each of which ltm has a fallback.
//
// Package drivertest checks a driver against this contract.
package driver
