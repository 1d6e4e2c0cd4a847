// Package sealed encrypts what a store keeps, so that whoever can read the
// store's file, bucket or database cannot read what is remembered.
//
// Values and metadata are encrypted with AES-256-GCM, each with a nonce of its
// own, and are bound to their space, namespace and key: moved to another key
// they do not decrypt. The words by which a full-text search finds a record are
// kept as keyed hashes (HMAC-SHA-256): a search still works through the store's
// index, and the index tells how often the same unknown word occurs, nothing
// more.
//
// In clear are keys, namespaces, times, sizes and how many records there are.
// Filters on metadata work: they are checked here, after decrypting, and so cost
// the reading of all that the rest of the query selects. With
// Options.ClearMetadata metadata stay in clear too, and the store's own index
// answers: choose it for large stores whose metadata tell nothing.
//
// Each record names its key by a hash. A store may be opened with several keys:
// the first encrypts, the others decrypt what is older. With a wrong key the
// store does not open; that and a record of an unknown key are driver.ErrConfig,
// and name the key that is needed. Nothing is ever overwritten because of it.
package sealed
