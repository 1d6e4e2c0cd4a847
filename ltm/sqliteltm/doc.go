// Package sqliteltm keeps long-term memory in an SQLite file, which any number
// of processes may use at once.
//
// URLs:
//
//	sqlite:///abs/path.db         an absolute path
//	sqlite:rel/path.db            a path relative to the working directory
//	sqlite://rel/path.db          the same
//	sqlite::memory:               in memory, gone when closed
//
// Parameters: busy_timeout, how long a call waits while another process writes
// (a duration such as 2s, or milliseconds; 5s); synchronous, one of off, normal,
// full, extra (normal: a power cut may lose the last writes, but damages
// nothing; a crash of the program loses none); readonly (true or false).
//
// A file that is not there is made, readable by its owner only, and so are the
// folders that lead to it.
//
// A value of 64 KiB or more stands beside its row, in a table of its own, so that
// what changes in the row (when it was read, say) does not read and write the
// value too.
package sqliteltm
