package engine

import (
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"os"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/llmcache"
)

// Options are the choices of New. The zero Options make an engine without
// actions and without long-term memory.
type Options struct {
	// Actions are all that agents may use, run blocks included.
	Actions []actions.Action
	// Filters are template filters besides the standard ones.
	Filters []filters.Filter

	// Open returns the long-term memory that a URL names, without opening its
	// store yet; see ltm.Mux.Lazy. Nil: there is none to be had.
	Open func(url string, o *ltm.Options) (*ltm.Memory, error)
	// Memory is used for every agent, whatever its settings say. The engine
	// does not close it.
	Memory *ltm.Memory
	// LTM is the URL that counts before an agent's settings.ltm.
	LTM string
	// DefaultLTM is the URL for agents whose settings have none. "": their
	// memory is empty in every run.
	DefaultLTM string
	// DefaultCacheStore is the URL of a store of their own for cached results
	// and answers of models, for agents whose settings.cache names none. "":
	// they are in the agent's memory.
	DefaultCacheStore string

	// Cache is the mode that counts before the agents' settings: off, read,
	// write, both or require. DefaultCache counts after them.
	Cache, DefaultCache string

	// LLMCache is the mode of the LLM response cache that counts before the
	// agents' settings: off, read, write or both; it takes abilities away from a
	// call that chooses a mode itself, and gives it none. DefaultLLMCache counts
	// after the settings. "": off.
	LLMCache, DefaultLLMCache string

	// Deterministic runs equal runs alike: actions and run blocks see a clock
	// that stands still and random numbers that depend on the call alone, calls
	// of models have a seed, and the LLM response cache is on where LLMCache
	// does not say otherwise.
	Deterministic bool

	// HTTP is the client for every request. Nil: a client of the engine's own.
	HTTP *http.Client
	// Clock tells the time. Nil: the system's.
	Clock actions.Clock
	// Rand returns random numbers in [0, 1). Nil: the runtime's.
	Rand func() float64
	// Getenv reads the environment, for settings and secrets. Nil: the
	// process's own.
	Getenv func(name string) (string, bool)
	// Secrets returns the text of a secret by name. Nil: the environment.
	Secrets func(name string) (string, error)
	// Credentials returns a credential of the program's own by the name of its
	// environment variable, such as OPENAI_API_KEY. Nil: the environment.
	Credentials func(name string) (string, error)
	// Programs are those of the machine that agents may start, if they ask for
	// them in settings.run.programs: each exactly as an agent writes it.
	Programs []string
	// Log takes what runs log, without secrets. Nil: nothing.
	Log *slog.Logger
	// Workers is how many calls of a run may be under way at once; 0: 16.
	Workers int
}

// withDefaults returns o with everything set that has a default.
func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.HTTP == nil {
		out.HTTP = &http.Client{Transport: ownTransport()}
	}
	if out.Clock == nil {
		out.Clock = actions.SystemClock{}
	}
	if out.Rand == nil {
		out.Rand = mathrand.Float64
	}
	if out.Getenv == nil {
		out.Getenv = os.LookupEnv
	}
	if out.Secrets == nil {
		out.Secrets = secretsFrom(out.Getenv)
	}
	if out.Credentials == nil {
		out.Credentials = credentialsFrom(out.Getenv)
	}
	if out.Deterministic && out.LLMCache == "" {
		out.LLMCache = llmcache.Both.String()
	}
	if out.Log == nil {
		out.Log = slog.New(slog.DiscardHandler)
	}
	return out
}

// ownTransport returns a transport whose idle connections Close can close
// without touching anyone else's.
func ownTransport() http.RoundTripper {
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		return t.Clone()
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment}
}

// secretsFrom reads secrets from the environment.
func secretsFrom(getenv func(string) (string, bool)) func(string) (string, error) {
	return func(name string) (string, error) {
		text, ok := getenv(name)
		if !ok || text == "" {
			return "", actions.Errorf(actions.CodeCredentialMissing,
				"the secret %s is not set; set the environment variable of that name", name)
		}
		return text, nil
	}
}

// credentialsFrom reads credentials from the environment.
func credentialsFrom(getenv func(string) (string, bool)) func(string) (string, error) {
	return func(name string) (string, error) {
		text, ok := getenv(name)
		if !ok || text == "" {
			return "", actions.Errorf(actions.CodeCredentialMissing,
				"the credential %s is not set; set the environment variable of that name", name)
		}
		return text, nil
	}
}

// newRunID returns an id that no other run has.
func newRunID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) //nolint:forbidigo // an id must differ between runs that share an injected source; never fails
	return hex.EncodeToString(b[:])
}
