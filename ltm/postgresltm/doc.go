// Package postgresltm keeps long-term memory in a PostgreSQL database (14 or
// later), which any number of machines may use at once.
//
// URLs, which may begin with postgresql as well:
//
//	postgres://user:password@host:5432/database
//	postgres:///database?host=/var/run/postgresql     a local socket
//
// What the URL leaves out comes from the environment and the files that other
// clients of PostgreSQL read: PGHOST, PGUSER, PGPASSWORD, ~/.pgpass and so on.
// Parameters:
//
//   - host, port: in place of those before the database
//   - sslmode (disable, allow, prefer, require, verify-ca, verify-full),
//     sslrootcert, sslcert, sslkey: as everywhere
//   - target_session_attrs (any, read-write, primary, standby, …): which one of
//     several hosts will do
//   - application_name: what the server shows (tea)
//   - connect_timeout: how long connecting may take (3s)
//   - schema: where the tables are, which is made if missing (the first one of
//     the search path)
//   - max_conns: how many connections there are at most (8). They are opened when
//     they are needed, and closed a minute or two after that. Where the server
//     takes no more, a process makes do with those it has.
//   - prepared: false keeps no prepared statements, for a pooler between that
//     does not know them
//   - readonly: true changes nothing, not even an older format
//
// # What it promises
//
// Every call is a single transaction, and all that change something follow one
// another (they lock the change counter first): histories are linearizable. What
// was acknowledged survives a crash of the server as far as the server's own
// setting of synchronous_commit says; by default that is all. Of a call that
// fails while the connection breaks nobody knows whether it took place.
//
// The database's encoding must be UTF8. Namespaces and keys are kept as bytes,
// so that they order as they do elsewhere whatever the collation, and may hold
// NUL. Values have up to 1 GiB less their metadata; large ones stand beside their
// rows by the server's own doing (TOAST), and stay where they are when something
// else of a row changes. All SQL is constant text;
// data goes in parameters of the extended protocol.
package postgresltm
