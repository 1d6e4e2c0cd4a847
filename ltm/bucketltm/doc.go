// Package bucketltm keeps long-term memory in a file that is an object of a
// bucket, whatever kind of file that is: an [Engine] makes a store of a local
// one. Any number of processes may use the object at once.
//
// URLs are those of package object with a prefix of the engine's, as in
// blob-sqlite+s3://bucket/path. Parameters: max_staleness, how long what was
// read from the bucket is taken to be its present state (a duration; 5s; 0 asks
// at every read); max_size, how large the file may become (1GiB); timeout, how
// long a call takes at most (30s); readonly (true or false); cache, the folder
// for local copies (a folder of $XDG_CACHE_HOME/tea); and those of the bucket.
//
// # What is promised
//
// A change that was acknowledged is in the bucket. Changes are made to a copy of
// the file, which replaces the object if that is still the one that was copied.
// If it is not, the changes are made again, with their conditions, to what took
// its place: so no writer ever overwrites another's change. Changes that come
// while an earlier one is on its way become one new file.
//
// With max_staleness=0 the store is linearizable; else a process sees its own
// changes at once and those of others after max_staleness at the latest.
//
// An object that is not there is an empty store. One that is torn, of another
// program or of a newer version is an error, and stays as it is.
//
// # What it costs
//
// Each group of changes sends the whole file, so a store is good for some
// megabytes and a few changes a second. Writers that meet take turns.
//
// # How it is done
//
// A version is a content that the bucket had, in a local file that never
// changes; reads go there. The draft is a file that begins as a copy of the
// newest version; changes go there, and a copy of it is pushed. If that arrives
// it is the next version and the draft goes on from it, else the draft is thrown
// away. One goroutine at a time makes changes, one asks the bucket what it holds.
package bucketltm
