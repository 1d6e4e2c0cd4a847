// Package transfer moves the entries of a memory: into a file and back, from one
// store to another. All of it works in constant memory, however many entries
// there are; one entry, and a batch of a few MiB, is what it holds at a time.
//
// A file has one JSON object a line: a header, then the entries, sorted by
// namespace and key, then an end.
//
//	{"format":"tea-export","version":1,"space":"user","source":"sqlite:///m.db","exported":1771754400000}
//	{"sum":"<hex>","namespace":"","key":"k","value":1,"metadata":{},"created":…,"updated":…,"expires":null}
//	{"end":{"entries":1,"sum":"<hex>"}}
//
// Times are Unix milliseconds. The sum of an entry comes first in its line; it is
// the SHA-256 of the object that the other members make, as the text stands. The
// sum of the end is that of the header's text and the sums of all entries, one
// after the other: a byte that was changed, a line that was lost, added or moved
// is found out, and so is a file that is cut short. What is read back is what was
// written, exactly.
//
// Only live entries are moved, and only what users, the cache or the cache of
// model answers stored: never leases, the notes of layers, or the key by which a
// cache hides secrets.
//
// Entries are compared and then stored in batches. What another program stores
// under the same key in between, a moment, is overwritten.
package transfer
