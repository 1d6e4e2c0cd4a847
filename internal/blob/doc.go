// Package blob reads and writes whole files by URI, wherever they are: on this
// machine, in the memory of this process, in the buckets of S3, Google Cloud
// Storage and Azure, and (reading only) on the web.
//
//	data/report.pdf             a path, relative to Options.Dir
//	file:///srv/report.pdf      the same, absolute, percent-encoded
//	mem://bucket/key            memory, shared within one Storage
//	s3://bucket/key             Amazon S3 and what speaks its protocol
//	gs://bucket/key             Google Cloud Storage
//	az://container/key          Azure; azblob:// is the same
//	https://host/path           reading only
//
// In bucket URIs the key is literal: nothing in it is percent-decoded. What
// follows a question mark is taken as parameters when it has an equals sign in
// it, as in s3://b/k?endpoint=http://localhost:9000&use_path_style=true; unknown
// parameters are errors. Credentials never stand in a URI: the clouds' own
// environment variables and files give them. A URI may name another server, but
// tokens are not sent to it: there it takes anonymous access or a signing key.
//
// Clients are made on first use and kept until Close. Errors belong to a closed
// set (ErrNotFound and so on) and never show a credential.
package blob
