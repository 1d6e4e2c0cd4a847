// Package redisltm keeps long-term memory in Redis, for any number of processes
// and machines at once. It needs Redis 6.2 or newer, or what speaks its protocol
// and runs its Lua.
//
// URLs:
//
//	redis://[user[:password]@]host[:port][/db]    port 6379, db 0
//	rediss://…                                    the same over TLS
//
// Parameters:
//
//   - prefix begins the names of all keys (tea): stores of different prefixes
//     in one database are apart. Letters, digits and "_.:-".
//   - timeout bounds each wait for the server where a call has no deadline of
//     its own (10s), dial_timeout each attempt to connect (5s).
//   - pool_size is how many connections there are at most (10 a processor).
//   - readonly (true or false) writes nothing; a replica will do.
//   - cluster (true or false) follows a cluster's redirections. All keys of a
//     prefix have one hash tag and so live on one node: the change counter, the
//     order of expiry and the atomicity of a call span namespaces.
//   - ca is the file with the certificates to trust besides none else (rediss).
//   - eviction=allow opens a store on a server that, when its memory is full,
//     evicts keys of all kinds (maxmemory-policy allkeys-*). Without it that is
//     ErrConfig: such a server forgets what it was told to remember.
//
// What is promised: calls are linearizable as long as one server answers. A
// call that fails because the connection broke may have happened, once. What a
// crash loses is the server's matter: with "appendonly yes" and "appendfsync
// always" nothing that was acknowledged, with "appendfsync everysec" up to two
// seconds of it, even where only the process was killed. A failover to a replica
// loses what had not reached it. No revision comes twice in any of these cases,
// as long as the server's clock does not go back by more than was lost.
//
// A List of more than one part (1,000 rows or 8 MiB), or one with filters, is
// no snapshot: what changes meanwhile is there as it was, as it is, or not at
// all. A DeleteExpired of more than 1,000 rows (of the user space 100) and a batch
// are several steps.
//
// A search by words reads the records of its namespaces that hold the rarest of the
// words, with their values, and those of more than 1,000 different words or 256 KiB
// of text (or of fewer, with a key of many KiB). It is no snapshot either.
// Each namespace has a key for each of its words. An entry of 1 KB takes the server
// about 8 KB with its words, 2 KB without. A store that a program of format 1 made
// has its entries searched as before, all of them, until each of these was put again
// or is gone; a copy under another prefix is free of that. Programs of that format
// are refused once one of this has opened the store to write.
//
// A value is a field of its own in its row: what else changes there, such as when
// it was read, is written without it, however large it is.
//
// Rows that expire are deleted by the server itself an hour after that, by its
// own clock: the time from UpdatedAt to ExpiresAt counts, not the date. What
// then is left in the index is taken out when it is met, and part by part with
// each DeleteExpired. Times are exact to 2^53 ms.
package redisltm
