package driver

import "context"

// Store keeps records. Its rules, each checked by package drivertest:
//
//   - All methods may be called concurrently, by one process or many on the
//     same store. Each call is atomic: nobody sees a half of it, and when it
//     returns nil the record is there for every later call, whoever makes it.
//   - Bytes passed in are the caller's again when the call returns; bytes
//     returned are the caller's.
//   - A call ends soon after its context does, with an error that wraps
//     ctx.Err(). A call with a context that is over does nothing.
//   - Errors wrap one of this package's kinds where one fits. A failed call
//     has changed nothing, or all that it was asked to.
//   - The store reads no clock: times come from the caller. A record whose
//     expiry is past stays until it is deleted.
//   - Every change that is seen (a Put, a Delete that found its record)
//     raises the store's change counter; see Reviser.
//   - After Close every method returns ErrClosed, but Close nil.
type Store interface {
	// Get returns the record under key, expired or not, else ErrNotFound.
	Get(ctx context.Context, key Key) (Record, error)

	// Put stores r under r.Key if the condition holds, else it returns
	// ErrConflict. Of r it takes Key, Value, Metadata, Terms, UpdatedAt and
	// ExpiresAt. It created the record when there was none, or one that had
	// expired at r.UpdatedAt: then CreatedAt is r.UpdatedAt, else it is kept.
	// Revision becomes the change counter after this change, so it is never
	// one that any record had before.
	Put(ctx context.Context, r Record, c Condition) (created bool, err error)

	// Delete removes the record under key and tells whether there was one.
	// With a revision other than 0 it removes that revision only.
	Delete(ctx context.Context, key Key, revision int64) (bool, error)

	// List returns the records that match q, in q's order, after q.After, at
	// most q.Limit of them. Filters come before order, order before limit.
	List(ctx context.Context, q Query) ([]Record, error)

	// Close releases the store. It waits for calls under way, or ends them.
	Close() error
}

// What follows are the abilities: interfaces that a store may have besides
// Store. Their methods keep the same rules. A method that returns an error
// which wraps errors.ErrUnsupported, without having done anything, says that the
// store lacks the ability after all: so a store on top of another one can have the
// methods of every ability (see Layer), and one of an older format can do without
// for a while. The functions of the same names use an ability or its fallback.

// Expirer deletes expired records through an index. The fallback lists them
// and deletes them one by one.
type Expirer interface {
	// DeleteExpired deletes at most limit records of the space, in whatever
	// namespace, that have expired at now, those of the oldest expiry first,
	// and returns how many it deleted.
	DeleteExpired(ctx context.Context, space Space, now int64, limit int) (int, error)
}

// FullText finds records by their terms. The fallback reads all records.
type FullText interface {
	// Search returns the records that match q and whose Terms hold every one
	// of terms (there is at least one) as a whole word: best score first, then
	// by namespace and key. q.Order and q.Desc do not count; q.After.Score
	// does.
	Search(ctx context.Context, q Query, terms []string) ([]Hit, error)
}

// Hit is a record found by FullText. A higher score is a better one; scores
// compare within one search only.
type Hit struct {
	Record
	Score float64
}

// Reviser tells cheaply whether anything changed.
type Reviser interface {
	// Revision returns the store's change counter: equal numbers mean that no
	// record was put or deleted in between, by any process.
	Revision(ctx context.Context) (int64, error)
}

// Ref names one revision of a record.
type Ref struct {
	Key      Key
	Revision int64
}

// BatchGetter reads many records in one go. The fallback gets one by one.
type BatchGetter interface {
	// GetBatch returns the records under keys, expired or not, as Get does. A
	// key without a record is not in the answer.
	GetBatch(ctx context.Context, keys []Key) (map[Key]Record, error)
}

// BatchPutter stores many records in one go. The fallback puts one by one.
type BatchPutter interface {
	// PutBatch puts records one after another, each as Put without a condition
	// does, and tells for each whether it was created. Each has a revision of
	// its own, a higher one than that before it. A key that is there twice
	// keeps its last record. Each record is put wholly or not at all; the batch
	// need not be: after an error any of them may have been put.
	PutBatch(ctx context.Context, records []Record) (created []bool, err error)
}

// BatchDeleter deletes many records in one go. The fallback deletes one by one.
type BatchDeleter interface {
	// DeleteBatch deletes the records that still have the given revision (any,
	// where it is 0) and tells for each whether it did. The batch need not be
	// atomic: after an error any of them may have been deleted.
	DeleteBatch(ctx context.Context, refs []Ref) ([]bool, error)
}

// Toucher notes when records were read. Without it AccessedAt stays UpdatedAt.
type Toucher interface {
	// Touch sets AccessedAt of the records that exist, where it is later than
	// what is there, and leaves the revision as it is.
	Touch(ctx context.Context, keys []Key, at int64) error
}

// Stats counts the records of a namespace.
type Stats struct {
	Namespace string
	Entries   int64
	Bytes     int64 // sum of the sizes of the values
}

// Stater counts records. The fallback lists them.
type Stater interface {
	// Stats returns the counts of every namespace of the space that has a
	// record, sorted by namespace.
	Stats(ctx context.Context, space Space) ([]Stats, error)
}
