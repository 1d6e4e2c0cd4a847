// Package libsqlltm keeps long-term memory in a libSQL server (sqld) or a Turso
// database, which any number of processes on any machine may use at once.
//
// URLs:
//
//	libsql://host[:port]              over TLS; with tls=0 without it
//	turso://name-org.turso.io         the same
//	https+libsql://host[:port][/path] over TLS
//	http+libsql://host[:port][/path]  without TLS, as sqld is started by default
//
// Parameters: authToken, the token to present (without it, what TURSO_AUTH_TOKEN
// holds); tls, 1 or 0, of libsql and turso.
//
// The store speaks Hrana over HTTP, whose requests stand alone: a call is one
// request that holds all its statements and, where there are several, the
// transaction around them. What is larger than one answer may be (a long list, a
// value over 64 KiB) is read by several requests in one read transaction, so a
// call always sees one state. Of a put that got no answer nobody can tell
// whether it happened; that is ErrUnavailable or the context's error, and what
// happened is whole.
//
// The tables have names that begin with tea_; others in the same database are
// left alone. A value over 64 KiB is kept in parts in a table of its own, so that
// no row comes near the 5 MB at which the server ends a row.
//
// The server orders writes one after another. A read by one process sees what
// another one has written before, as long as both speak to the primary: replicas
// of a Turso database may lag.
package libsqlltm
