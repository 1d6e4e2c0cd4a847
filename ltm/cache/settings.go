package cache

import (
	"time"

	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// Settings are the options of a cached call as people write them: those of
// cache.wrap, and those under a node's or the agent's `cache:`.
type Settings struct {
	KeySettings
	TTLSettings
	StaleSettings
	FailureSettings
	ModeSettings
	UpkeepSettings
}

// KeySettings are the options that make the key.
type KeySettings struct {
	Key         schema.Rendered `json:"key,omitempty" mode:"late" doc:"The key in the user's own words; implies key_strategy: custom. Null or empty: the call is not cached." example:"\"search:{{ state.query | lower | sha256 }}\""`
	KeyStrategy string          `json:"key_strategy,omitempty" enum:"args,sha256,custom,file_content" doc:"How the key comes about: hash of the arguments (args, the default), hash of key_source (sha256), the option key (custom), or hash of the file that an argument names (file_content)."`
	KeySource   schema.Rendered `json:"key_source,omitempty" mode:"late" doc:"With sha256 the value to hash, written as a template, or the name of the argument that holds it. With file_content the name of the argument that holds the path (default file)." example:"\"file\""`
	KeySourceIs string          `json:"key_source_is,omitempty" enum:"value,argument" doc:"Whether key_source is a value or an argument's name. Found out by itself: what is written as a template is a value."`
	KeyArgs     value.Value     `json:"key_args,omitempty" doc:"Names of the only arguments that take part in the key, or none." example:"[\"query\"]"`
	IgnoreArgs  []string        `json:"ignore_args,omitempty" doc:"Names of arguments that take no part in the key." example:"[\"trace_id\"]"`
	Vary        []value.Value   `json:"vary,omitempty" doc:"Further values that take part, as templates or as paths such as state.tenant." example:"[\"state.tenant\"]"`
	Version     string          `json:"version,omitempty" doc:"Takes part in the key: change it to leave older entries behind." example:"2"`
	Namespace   string          `json:"namespace,omitempty" doc:"Where the key lives, instead of the agent's own namespace."`
	KeyPrefix   bool            `json:"key_prefix" default:"true" doc:"False leaves the namespace out of the key, so that all agents share the entry."`
}

// TTLSettings are the options that say how long an entry lives.
type TTLSettings struct {
	TTL        string `json:"ttl,omitempty" doc:"How long the entry lives: a duration such as 90m or 30d, or never. Not together with the others." example:"30d"`
	TTLDays    *int64 `json:"ttl_days" doc:"Lifetime in days (60 where nothing is said)." example:"30"`
	TTLHours   *int64 `json:"ttl_hours" doc:"Lifetime in hours; counts before ttl_days." example:"24"`
	TTLSeconds *int64 `json:"ttl_seconds" doc:"Lifetime in seconds; counts before ttl_hours and ttl_days. 0: nothing is stored." example:"90"`
}

// StaleSettings are the options for entries whose time is over.
type StaleSettings struct {
	StaleWhileRevalidate time.Duration `json:"stale_while_revalidate,omitempty" min:"0s" doc:"For how long after its time an entry is served all the same, at once, while the action runs in the background to refresh it." example:"1h"`
	StaleIfError         time.Duration `json:"stale_if_error,omitempty" min:"0s" doc:"For how long after its time an entry is served in the place of a failure of the action." example:"7d"`
}

// FailureSettings are the options for storing failures.
type FailureSettings struct {
	NegativeTTL   *time.Duration `json:"negative_ttl" min:"0s" doc:"How long a failure of the action is stored, and fails equal calls at once; 0, or nothing said: no failure is stored." example:"30s"`
	NegativeCodes []string       `json:"negative_codes,omitempty" enum:"invalid_input,not_found,denied,conflict,too_large,unsupported,unavailable,timeout,failed" doc:"Which failures negative_ttl is about, by their codes (not_found where nothing is said)." example:"[\"not_found\",\"denied\"]"`
}

// ModeSettings are the options that say what the cache may do.
type ModeSettings struct {
	SkipCache    *bool  `json:"skip_cache" doc:"Run the action in any case and store the fresh result." example:"true"`
	CacheEnabled *bool  `json:"cache_enabled" doc:"False: neither look up nor store." example:"false"`
	Mode         string `json:"mode,omitempty" enum:"off,read,write,both,require" doc:"What the cache may do; both where nothing is said. With require a miss is an error."`
	Unless       string `json:"unless,omitempty" mode:"expr" doc:"An expression on result: where it is true the result is not stored." example:"result.items | length == 0"`
	Force        bool   `json:"force,omitempty" doc:"True says that caching an action that changes something is meant." `
	Lock         string `json:"lock" default:"process" enum:"process,lease" doc:"Among whom equal calls at the same time run once: in this process, or by a lease in the store among all processes that use it."`
	OnCacheError string `json:"on_cache_error" default:"run" enum:"run,fail" doc:"What happens when the store fails: run the action uncached, or fail."`
}

// UpkeepSettings are the bounds of a cached call.
type UpkeepSettings struct {
	CleanupProbability float64        `json:"cleanup_probability" default:"0.05" min:"0" max:"1" doc:"How likely a call that was not served from the cache removes expired entries."`
	CleanupLimit       int            `json:"cleanup_limit" default:"5" min:"0" doc:"How many expired entries it removes at most."`
	MaxEntryBytes      int64          `json:"max_entry_bytes" default:"67108864" min:"1" doc:"Results larger than this, as JSON, are not stored."`
	LookupTimeout      *time.Duration `json:"lookup_timeout" min:"1ms" doc:"How long the store may take to answer before the action runs without it (250ms where nothing is said)." example:"250ms"`
}

// WholeSettings are the options about the whole cache, which only the agent's
// `settings.cache` has, beside those for every call.
type WholeSettings struct {
	Store      string `json:"store,omitempty" doc:"A store of its own for cached results and models' answers: a URL or a path, as of settings.ltm. What is damaged in it is set aside and begun anew. Where nothing is said they are in the agent's long-term memory." example:"cache.db"`
	MaxBytes   int64  `json:"max_bytes" default:"2147483648" min:"1" doc:"How many bytes all results in the store may take, of whatever agent; the least recently used ones go first." example:"100000000"`
	MaxEntries int64  `json:"max_entries,omitempty" min:"1" doc:"How many results there may be (no bound where nothing is said)." example:"10000"`
}

// Quota is how much the whole cache may hold.
func (s WholeSettings) Quota() ltm.Quota {
	return ltm.Quota{MaxBytes: s.MaxBytes, MaxEntries: s.MaxEntries}
}

// lockLease is the lock that spans processes.
const lockLease = "lease"

// Policy returns the policy that the settings ask for, and all that is wrong
// with them. Policy.Unless is the caller's to set: it takes an expression.
func (s Settings) Policy() (Policy, schema.Problems) {
	var r reader
	p := Policy{
		Key:                r.key(s.KeySettings),
		TTL:                r.ttl(s.TTLSettings),
		Lease:              s.Lock == lockLease,
		CleanupProbability: s.CleanupProbability,
		CleanupLimit:       s.CleanupLimit,
		MaxEntryBytes:      s.MaxEntryBytes,
		FailOnError:        s.OnCacheError == "fail",
	}
	if s.LookupTimeout != nil {
		p.LookupTimeout = *s.LookupTimeout
	}
	p.StaleWhileRevalidate, p.StaleIfError = s.StaleWhileRevalidate, s.StaleIfError
	p.NegativeTTL, p.NegativeCodes = r.failures(s.FailureSettings)
	p.Mode, p.Explicit = r.mode(s.ModeSettings)
	return p, r.problems
}
