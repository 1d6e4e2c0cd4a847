// Package blobsqliteltm keeps long-term memory in an SQLite file that is an
// object of a bucket. Any number of processes may use it at once.
//
// URLs:
//
//	blob-sqlite+s3://bucket/path.db       Amazon S3 and what speaks its protocol
//	blob-sqlite+gs://bucket/path.db       Google Cloud Storage
//	blob-sqlite+az://container/path.db    Azure; +azblob is the same
//	blob-sqlite+file:///abs/path.db       a file, also on a network's file system
//	blob-sqlite+mem://any/path.db         memory, gone when closed
//
// Parameters: max_staleness, how long what was read from the bucket is taken to
// be its present state (a duration; 5s; 0 asks at every read); max_size, how
// large the file may become (1GiB); timeout, how long a call takes at most (30s);
// readonly (true or false); cache, the folder for local copies (a folder of
// $XDG_CACHE_HOME/tea); and those of the bucket, see package object.
//
// # What is promised
//
// A change that was acknowledged is in the bucket. Changes are made to a copy of
// the file, which replaces the object if that is still the one that was copied.
// If it is not, the changes are made again, with their conditions, to what took
// its place: so no writer ever overwrites another's change. Changes that come
// within a few milliseconds, or while an earlier one is on its way, become one
// new file.
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
package blobsqliteltm
