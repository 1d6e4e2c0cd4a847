// Package sqlitesql writes queries of package driver in the SQL of SQLite, for
// the stores that speak it. A record is a row of a table or subquery named e,
// with the columns space, namespace, key, created_at, updated_at, accessed_at,
// expires_at and metadata, a JSON text. Every value of a query becomes a bound
// parameter; the text is made of constants of this package.
package sqlitesql
