package cache_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// decode reads settings as cache.wrap does.
func decode(t *testing.T, options any) cache.Settings {
	t.Helper()
	object, err := schema.For[cache.Settings]()
	if err != nil {
		t.Fatal(err)
	}
	var s cache.Settings
	if err := object.Decode(value.Must(options), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// policy reads settings that have nothing wrong with them.
func policy(t *testing.T, options any) cache.Policy {
	t.Helper()
	p, problems := decode(t, options).Policy()
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return p
}

type options = map[string]any

func TestSettingsDefaults(t *testing.T) {
	t.Parallel()
	p := policy(t, options{})
	switch {
	case p.Mode != cache.Both || p.Explicit:
		t.Errorf("mode %v, explicit %v", p.Mode, p.Explicit)
	case p.TTL != 60*24*time.Hour:
		t.Errorf("TTL %v", p.TTL)
	case p.CleanupProbability != 0.05 || p.CleanupLimit != 5:
		t.Errorf("cleanup %v, %d", p.CleanupProbability, p.CleanupLimit)
	case p.MaxEntryBytes != 64<<20:
		t.Errorf("max_entry_bytes %d", p.MaxEntryBytes)
	case p.Key.Strategy != cache.ByArgs || p.Key.Shared || p.FailOnError:
		t.Errorf("%+v", p)
	}
}

func TestTTL(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, tt := range []struct {
		options options
		want    time.Duration
	}{
		{options{"ttl_days": 30}, 30 * day},
		{options{"ttl_hours": 2, "ttl_days": 30}, 2 * time.Hour},
		{options{"ttl_seconds": 3, "ttl_hours": 2, "ttl_days": 30}, 3 * time.Second},
		{options{"ttl_seconds": 0, "ttl_days": 30}, 0},
		{options{"ttl": "90m"}, 90 * time.Minute},
		{options{"ttl": "30d"}, 30 * day},
		{options{"ttl": "1d12h"}, 36 * time.Hour},
		{options{"ttl": "never"}, cache.Never},
		{options{"ttl": 90}, 90 * time.Second},
		{options{"ttl": "0"}, 0},
		{options{"ttl_days": 106_751}, 106_751 * day},
	} {
		if got := policy(t, tt.options).TTL; got != tt.want {
			t.Errorf("%v: %v, want %v", tt.options, got, tt.want)
		}
	}
}

func TestModeOptions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		options  options
		want     cache.Mode
		explicit bool
	}{
		{options{}, cache.Both, false},
		{options{"skip_cache": true}, cache.Write, true},
		{options{"skip_cache": false}, cache.Both, true},
		{options{"cache_enabled": false}, cache.Off, true},
		{options{"cache_enabled": true}, cache.Both, true},
		{options{"skip_cache": true, "cache_enabled": false}, cache.Off, true},
		{options{"mode": "read", "skip_cache": true}, cache.Off, true},
		{options{"mode": "write", "skip_cache": true}, cache.Write, true},
		{options{"mode": "require"}, cache.Require, true},
		{options{"mode": "require", "cache_enabled": false}, cache.Off, true},
	} {
		p := policy(t, tt.options)
		if p.Mode != tt.want || p.Explicit != tt.explicit {
			t.Errorf("%v: %v, explicit %v", tt.options, p.Mode, p.Explicit)
		}
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		options options
		want    string
	}{
		{options{"ttl": "soon"}, "ttl: want a duration"},
		{options{"ttl": "-5m"}, "ttl: a lifetime cannot be negative"},
		{options{"ttl_days": -1}, "ttl_days: a lifetime cannot be negative"},
		{options{"ttl_seconds": 3, "ttl_days": -1}, "ttl_days: a lifetime cannot be negative"},
		{options{"ttl_days": 106_752}, "ttl_days: longer than a lifetime can be (write ttl: never)"},
		{options{"ttl": "30d", "ttl_hours": 1}, "both ttl and ttl_hours are given"},
		{options{"mode": "require", "skip_cache": true}, "skip_cache: mode: require asks"},
		{options{"key": "k", "key_strategy": "args"}, "key implies the strategy custom"},
		{options{"key": nil, "key_strategy": "args"}, "key implies the strategy custom"},
		{options{"key": "k", "key_args": "none"}, "no arguments take part in a custom key"},
		{options{"key_source": "file"}, "the strategy args has no use for key_source"},
		{options{"key_args": "all"}, "want a list of names, or none"},
		{options{"key_args": []any{}}, "want a list of names, or none"},
		{options{"key_args": []any{"a"}, "ignore_args": []any{"b"}}, "key_args already says"},
		{options{"namespace": "*"}, "no namespace to store in"},
		{options{"namespace": "x", "key_prefix": false}, "drops the namespace"},
	} {
		_, problems := decode(t, tt.options).Policy()
		if len(problems) != 1 || !strings.Contains(problems[0].String(), tt.want) {
			t.Errorf("%v: %v, want one with %q", tt.options, problems, tt.want)
		}
	}
}

// prepare completes options as the loader does.
func prepare(o options, args ...string) (value.Value, schema.Problems) {
	return cache.Prepare(value.Must(o), func(s string) bool { return strings.Contains(s, "{{") }, args)
}

func TestPrepareCompletesWhatRenderingLoses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want options }{
		{options{"key": "{{ state.q }}"}, options{"key": "{{ state.q }}", "key_strategy": "custom"}},
		{
			options{"key_strategy": "sha256", "key_source": "{{ state.q }}"},
			options{"key_strategy": "sha256", "key_source": "{{ state.q }}", "key_source_is": "value"},
		},
		{
			options{"key_strategy": "sha256", "key_source": "q"},
			options{"key_strategy": "sha256", "key_source": "q"},
		},
		{options{"vary": []any{"state.tenant", "{{ x }}"}}, options{"vary": []any{"{{ state.tenant }}", "{{ x }}"}}},
		{options{"action": "a.b", "args": options{"x": 1}}, options{"action": "a.b", "args": options{"x": 1}}},
	} {
		got, problems := prepare(tt.in, "q")
		if len(problems) > 0 || !value.Equal(got, value.Must(tt.want)) {
			t.Errorf("%v: %v %v", tt.in, got, problems)
		}
	}
}

func TestPrepareFindsStaticMistakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   options
		want string
	}{
		{options{"key_strategy": "sha256", "key_source": "qery"}, `key_source: the call has no argument "qery" (did you mean "query"?)`},
		{options{"key_strategy": "file_content", "key_source": "qery"}, `key_source: the call has no argument "qery"`},
		{options{"key_strategy": "file_content"}, `key_source: the call has no argument "file"`},
		{options{"key_strategy": "sha256"}, "needs a key_source"},
		{options{"key_strategy": "custom"}, "needs a key"},
		{options{"key": nil}, "the key is empty"},
		{options{"key": ""}, "the key is empty"},
		{options{"key_args": []any{"qery"}}, `key_args: the call has no argument "qery"`},
		{options{"ignore_args": []any{"qery"}}, `ignore_args: the call has no argument "qery"`},
		{options{"vary": []any{"tenant"}}, "vary.0: a constant tells no calls apart"},
		{options{"ttl": "soon"}, "want a duration"},
		{options{"ttl": "never", "ttl_days": 1}, "both ttl and ttl_days"},
		{options{"key": "{{ k }}", "key_strategy": "args"}, "key implies the strategy custom"},
	} {
		_, problems := prepare(tt.in, "query")
		if len(problems) != 1 || !strings.Contains(problems[0].String(), tt.want) {
			t.Errorf("%v: %v, want one with %q", tt.in, problems, tt.want)
		}
	}
}

func TestExpandShortForms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		short any
		want  options
	}{
		{true, options{}},
		{false, options{"cache_enabled": false}},
		{"30d", options{"ttl": "30d"}},
		{"never", options{"ttl": "never"}},
		{"read", options{"mode": "read"}},
		{90, options{"ttl_seconds": 90}},
		{options{"version": "2"}, options{"version": "2"}},
	} {
		if got, err := cache.Expand(value.Must(tt.short)); err != nil || !value.Equal(got, value.Must(tt.want)) {
			t.Errorf("%v: %v, %v", tt.short, got, err)
		}
	}
	for _, wrong := range []any{"raed", nil, []any{}, 1.5} {
		if _, err := cache.Expand(value.Must(wrong)); err == nil {
			t.Errorf("%v stands for something", wrong)
		}
	}
}
