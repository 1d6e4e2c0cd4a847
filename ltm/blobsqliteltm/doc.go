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
// Parameters, what is promised and what it costs: see package bucketltm, of which
// this is an engine. The object is a plain SQLite file without a write-ahead log,
// which other programs can read; of those that sqliteltm writes any can be put
// there to begin with.
package blobsqliteltm
