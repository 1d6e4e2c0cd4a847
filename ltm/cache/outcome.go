package cache

import "time"

// Status tells how a call was served.
type Status string

// The statuses.
const (
	Hit         Status = "hit"         // from the store
	Miss        Status = "miss"        // run: there was no entry that fits
	Expired     Status = "expired"     // run: there was one, but its time was over
	Refreshed   Status = "refreshed"   // run: a fresh result was asked for
	Bypass      Status = "bypass"      // run: caching is off
	Stale       Status = "stale"       // from the store, though its time was over
	Uncacheable Status = "uncacheable" // run: there is no key for this call
	Error       Status = "error"       // run: the store failed
)

// Outcome tells what the cache did for a call.
type Outcome struct {
	Status Status
	// Key is the full key; empty when there is none (Bypass, Uncacheable).
	Key string
	// Reason says more in a word, or in a word, a colon and a sentence: why
	// there was no hit ("not_found", "action_changed: …"), or why the result
	// was not stored ("ttl_zero"). Empty when there is nothing to say.
	Reason string
	// Stored tells that the result was stored by this call.
	Stored bool
	// CreatedAt is when the entry was stored. Only with Hit and Stale.
	CreatedAt time.Time
	// Saved is how long the call took when the entry was made. Only with Hit,
	// and with Stale if nothing was run.
	Saved time.Duration
	// SavedUSD is what the call would have cost in US dollars, 0 if unknown.
	// Only with Hit, and only of answers of models.
	SavedUSD float64
}

// Served tells whether the result came from the store.
func (o *Outcome) Served() bool { return o.Status == Hit || o.Status == Stale }
