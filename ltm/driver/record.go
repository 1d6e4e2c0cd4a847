package driver

// Record is one row of a store. Times are Unix milliseconds.
type Record struct {
	Key      Key
	Value    []byte // opaque
	Metadata []byte // a canonical JSON object
	// Terms is the text by which FullText finds the record: lower-case words
	// separated by single spaces. It is given to Put and never returned. It is
	// empty outside of the user space.
	Terms string

	CreatedAt  int64 // kept when a live record is overwritten
	UpdatedAt  int64 // the caller's time of the last Put
	AccessedAt int64 // UpdatedAt, or what Toucher set since
	ExpiresAt  int64 // 0 is never
	Revision   int64 // the store's change counter at the last Put
	Size       int64 // length of Value, also where Value is left out
}

// Expired tells whether the record's time is over at now: expired is what has
// an expiry that is not later than now.
func (r *Record) Expired(now int64) bool {
	return r.ExpiresAt != 0 && r.ExpiresAt <= now
}

// Condition says when a Put may happen. The zero Condition is always.
type Condition struct {
	// Absent asks that there is no record yet, or only one that has expired
	// at the new record's UpdatedAt.
	Absent bool
	// Revision, when not 0, asks that there is a record of that revision.
	Revision int64
}

// Holds tells whether the condition holds where old is what is stored under
// the key (nil when nothing is), at time now.
func (c Condition) Holds(old *Record, now int64) bool {
	if c.Absent && old != nil && !old.Expired(now) {
		return false
	}
	return c.Revision == 0 || old != nil && old.Revision == c.Revision
}
