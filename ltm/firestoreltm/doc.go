// Package firestoreltm keeps long-term memory in Firestore, for any number of
// processes and machines at once.
//
// URLs:
//
//	firestore://project/collection
//
// Parameters:
//
//   - database is the name of the project's database: "(default)".
//   - emulator is host:port of an emulator, which is spoken to without TLS and
//     gets no credentials. Without it FIRESTORE_EMULATOR_HOST counts.
//   - timeout bounds each request to the server (10s).
//
// Credentials are those that Google's own clients find: a key file that
// GOOGLE_APPLICATION_CREDENTIALS names, what gcloud left, or the service account
// of a Google machine. They need the role roles/datastore.user. A URL holds none.
//
// Of the collection only the document "store" is used; all else is below it,
// in a collection for each space, such as tea_user and tea_cache. The database
// must be in Native mode. No index has to be made: every query is one that the
// automatic indexes of single fields answer.
//
// # Promises
//
// Calls are linearizable. A change reads what is there and commits on the
// condition that it is still so (on the time of the last update, which Firestore
// keeps), again and again while others are faster. No lock is held, so a process
// that dies holds up nobody; a transaction's locks would stay for a minute.
// Requests are never repeated by themselves: of a change that got no answer
// nobody can tell whether it happened; that is ErrUnavailable or the context's
// error, and what happened is whole.
//
// A record's revision is the time of its commit, in microseconds, times 256,
// plus its place in the commit. Firestore gives a document a later time with
// each commit, also after it was deleted; so the revisions of a key rise and
// never return, as conditions and fencing tokens need it. Two keys that are put
// within the same microsecond may have the same revision. There is no change
// counter (driver.Reviser): it would be a document that every change writes, and
// Firestore wants no more than about one write a second to one document. For the
// same reason reading notes no time (driver.Toucher): AccessedAt is UpdatedAt.
//
// # Limits
//
// Value, metadata and the words to be found by take 9 MiB at most, together:
// one commit takes 10 MiB. What is larger is ErrFull. Over 64 KiB they stand in
// parts of 768 KiB, beside the record and written by the same commit.
//
// A batch is a commit for every 200 records or 4 MiB. A List of several requests
// (of up to 400 records each) is no snapshot: what changes meanwhile is there as
// it was, as it is, or not at all.
//
// Lists go by an index in their order; keys and namespaces count there with
// their first 1,400 bytes (half as many where they are not ASCII), and those
// that are equal so far are sorted by the client, who reads them all. A
// list with a filter for equality or "in" of texts, integers, booleans or null
// in up to 29 namespaces goes by an index of metadata, and a list of one
// namespace by time by an index of namespaces, where these find at most 300
// records. Everything else is looked at record by record, each of which Firestore
// bills as a read: other filters, globs that begin with a star, live records
// among expired ones.
//
// A search reads all records of its namespaces that hold its longest word, and
// those of more than 4,000 different words; over all namespaces it reads all
// records. Scores do not depend on other records.
//
// Firestore takes about 500 writes a second to a collection, and about one a
// second to one document, for long: more of the latter meet each other's
// conditions, and take turns.
//
// Expired records stay until they are deleted. Each has the field expires: a TTL
// policy on it, for the collection groups tea_cache and tea_parts say, lets
// Firestore delete them by itself within a day.
//
// # What is tested
//
// The tests run on an emulator, @firestore-emulator/server, which lacks some of
// the real one's promises; internal/testserver/firestoreserver adds those that
// are stood on here, by Google's documentation: commits that are atomic, keep
// their preconditions on update times, and have times of their own. So what the
// tests show is that this package is right if Firestore keeps its word.
package firestoreltm
