package driver

import "context"

// Inspector tells about the store itself, for people who look for a fault. It is
// an ability: a store need not have it, and there is no fallback.
type Inspector interface {
	// Inspect asks the store, not a note of when it was opened.
	Inspect(ctx context.Context) (Facts, error)
}

// Facts are what a store tells about itself, as far as it can: what is zero is
// unknown.
type Facts struct {
	Product string // what keeps the records, with its version, such as "SQLite 3.50.4"
	Format  int    // the version of the format in which records stand
	Newest  int    // the version that this program would write
	Time    int64  // Unix milliseconds, by a clock that is not this machine's
}

// Inspect is Inspector, or errors.ErrUnsupported.
func Inspect(ctx context.Context, s Store) (Facts, error) {
	return can(s, func(a Inspector) (Facts, error) { return a.Inspect(ctx) }, lacks[Facts])
}

// Inspect implements Inspector.
func (l Layer) Inspect(ctx context.Context) (Facts, error) { return Inspect(ctx, l.Store) }
