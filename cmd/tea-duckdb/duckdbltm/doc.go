// Package duckdbltm keeps long-term memory in a DuckDB file, on this machine or in
// a bucket. It needs cgo, and adds some 60 MB to a program: so it has a module of
// its own, and the command tea-duckdb.
//
// URLs:
//
//	duckdb:///abs/path.duckdb     an absolute path
//	duckdb:rel/path.duckdb        a path relative to the working directory
//	duckdb::memory:               in memory, gone when closed
//	duckdb+s3://bucket/path       a file that is an object in a bucket; also
//	                              duckdb+gs, duckdb+az, duckdb+file, duckdb+mem
//
// Parameters of a local file: busy_timeout, how long a call waits while another
// process has the file (a duration such as 2s, or milliseconds; 5s); threads, how
// many DuckDB uses (2); memory_limit, how much memory it uses for the file at
// most (512MiB); readonly (true or false). Of several stores of a process on one
// file the threads and the memory of the first one count. Those of an object are
// those of package bucketltm, which says what is promised there.
//
// A file that is not there is made, readable by its owner only, and so are the
// folders that lead to it. DuckDB makes its log, the file with .wal behind its
// name, anew every now and then: it is closed to others after the first change
// in it, so keep memory that others must not read in a folder of its own.
//
// # Processes take turns
//
// DuckDB lets one process at a time have a file, or several that only read. So a
// store opens the file when it is called, and gives it back when it was not for
// 0.3 s. Who waits holds the lock of the file PATH.queue; who has the file looks
// at that every 20 ms, and while somebody waits gives it back after 0.2 s. Nobody
// is passed over, and whoever waits for more than busy_timeout is told
// driver.ErrUnavailable. Programs other than this one have to find a pause.
//
// Opening a file and closing it, which moves the log into it, took 40 to 300 ms
// on two busy cores: so much of every turn is lost, and so much longer takes the
// first call after a pause.
//
// # What is promised
//
// A change that was acknowledged is in the log on the disk: it survives the end
// of the process at any moment. Reads and changes are linearizable. Damage is
// noticed by the checksum of each block, and is driver.ErrCorrupt; nothing is
// deleted or repaired.
//
// # What it costs
//
// No table has an index: DuckDB would keep it in memory and never use the room
// of deleted rows again. Every call scans a column, of 8 bytes a row for a key;
// metadata filters and text searches scan a column of texts. Among 100,000
// records, on two cores with nine tasks at once, so at most: a get took 1.2 ms, a
// put and DeleteExpired of five 20 ms, most of it the disk's, a filter 11 ms, a
// search 0.3 s. SQLite is many times faster for small records that come and go
// one by one; DuckDB is for files that are also to be analysed with SQL.
//
// A search scores by how dense a record is with the words, not by how rare they
// are. What has been deleted leaves its room when DuckDB next rewrites that part
// of the file. An object in a bucket does not shrink when it comes near to
// max_size, as one of blob-sqlite does.
package duckdbltm
