package cache

import (
	"time"

	"github.com/tea-agents/tea/value"
)

// Strategy says how a key comes about.
type Strategy string

// The strategies. The zero Strategy is ByArgs.
const (
	ByArgs   Strategy = "args"         // hash of the arguments
	BySHA256 Strategy = "sha256"       // hash of a value, and of the arguments
	ByCustom Strategy = "custom"       // the user's own words
	ByFile   Strategy = "file_content" // hash of a file, and of the arguments
)

// The limits and habits of a cache where a policy says nothing else.
const (
	DefaultCleanupProbability = 0.05
	DefaultCleanupLimit       = 5
	DefaultMaxEntryBytes      = 64 << 20
	DefaultLookupTimeout      = 250 * time.Millisecond
)

// Policy says how one call is cached. The zero Policy is not to cache. Make one
// with [Settings.Policy].
type Policy struct {
	Mode Mode
	// Explicit is true when the call itself chose its mode, see [Policy.Cap].
	Explicit bool
	Key      KeyPolicy
	// TTL is how long an entry lives: Never, or 0 to store nothing.
	TTL time.Duration
	// Unless keeps a result from being stored when it is true of it, or
	// fails. Nil: never.
	Unless func(result value.Value) (bool, error)
	// StaleWhileRevalidate is for how long after its time an entry is served
	// all the same, while a fresh result is fetched in the background;
	// StaleIfError for how long it is served in the place of a failure.
	StaleWhileRevalidate, StaleIfError time.Duration
	// NegativeTTL is how long a failure is stored that has one of the
	// NegativeCodes; 0: no failure is stored, nor served.
	NegativeTTL   time.Duration
	NegativeCodes []string
	// Lease makes equal calls share one execution among all processes that use
	// the store, and not only in this one. It counts with the mode Both.
	Lease bool
	// CleanupProbability is how likely a call that was run removes expired
	// entries, at most CleanupLimit; 0 is never, 1 is always.
	CleanupProbability float64
	CleanupLimit       int
	// MaxEntryBytes is the size up to which results are stored, as JSON;
	// 0 is DefaultMaxEntryBytes.
	MaxEntryBytes int64
	// LookupTimeout is how long a lookup may take; 0 is that of the cache.
	LookupTimeout time.Duration
	// FailOnError makes a failure of the store one of the call.
	FailOnError bool
}

// KeyPolicy says what makes up the key of a call.
type KeyPolicy struct {
	Strategy Strategy
	// Custom is the user's own words, with ByCustom.
	Custom Operand
	// Source is the value to hash or the name of the argument that holds it
	// (BySHA256), or the name of the argument that names a file (ByFile).
	Source Operand
	// SourceIsValue tells, with BySHA256, that Source is the value itself. It
	// is when the option was written with a template in it.
	SourceIsValue bool
	// Args says which arguments take part.
	Args ArgSelection
	// Vary are further values that take part.
	Vary []value.Value
	// Version takes part: another version, another entry.
	Version string
	// Namespace replaces the agent's; "" keeps it.
	Namespace string
	// Shared leaves the namespace out of the key.
	Shared bool
}

// Operand is the value of an option that was rendered for the call, or why it
// could not be.
type Operand struct {
	Value value.Value
	Err   error
}

// ArgSelection says which arguments take part in a key. The zero ArgSelection
// is all.
type ArgSelection struct {
	None   bool     // none of them
	Only   []string // if not empty: these
	Ignore []string // all but these
}

// apply returns the members of args that take part.
func (s ArgSelection) apply(args value.Value) value.Value {
	switch {
	case s.None:
		return value.Object()
	case len(s.Only) > 0:
		kept := make([]value.Member, 0, len(s.Only))
		for _, name := range s.Only {
			if v, ok := args.Get(name); ok {
				kept = append(kept, value.M(name, v))
			}
		}
		return value.Object(kept...)
	}
	for _, name := range s.Ignore {
		args = args.Without(name)
	}
	return args
}

// Cap returns p as far as a mode from outside of the call lets it: the --cache
// flag, the agent's settings or the environment, whichever counts first. What a
// call chose itself can only lose abilities; other calls take over the mode. A
// call that is not cached stays so.
func (p Policy) Cap(outside Mode) Policy {
	if p.Explicit || p.Mode == Off {
		p.Mode = p.Mode.within(outside)
	} else {
		p.Mode = outside
	}
	return p
}

// maxEntryBytes returns the bound on the size of results.
func (p Policy) maxEntryBytes() int64 {
	if p.MaxEntryBytes == 0 {
		return DefaultMaxEntryBytes
	}
	return p.MaxEntryBytes
}
