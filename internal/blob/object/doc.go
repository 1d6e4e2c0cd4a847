// Package object reads one object of a bucket and replaces it whole, if it is
// still the one that the writer knows: compare-and-swap, by ETag on S3 and
// Azure, by generation on Google Cloud Storage, under a lock on file systems.
//
// Readers see the old content or the new one, never a part, also when a writer
// is killed. Credentials come from the clouds' own environment variables and
// files, as in package blob, and by its rule: a URL may name another server, but
// no token is sent there.
package object
