package cache_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

func TestAFailureIsStoredByItsCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code   string
		codes  []any
		stored bool
	}{
		{"not_found", nil, true},
		{"denied", nil, false},
		{"denied", []any{"not_found", "denied"}, true},
		{"not_found", []any{"denied"}, false},
	} {
		b := newBench(t)
		o := options{"negative_ttl": "30s"}
		if tt.codes != nil {
			o["negative_codes"] = tt.codes
		}
		p := policy(t, o)
		_, first, err := b.Do(t.Context(), codedRequest(options{}), p, b.failing(coded(tt.code)))
		if !errors.Is(err, coded(tt.code)) || first.Status != cache.Miss || first.Stored != tt.stored {
			t.Errorf("%+v: %+v, %v", tt, first, err)
		}
		_, second, err := b.Do(t.Context(), codedRequest(options{}), p, b.failing(coded(tt.code)))
		stored, replayed := errors.AsType[*cache.Failure](err)
		if replayed != tt.stored || (second.Status == cache.Hit) != tt.stored {
			t.Errorf("%+v: %+v, %v", tt, second, err)
		}
		if replayed && (stored.Code != tt.code || stored.Message != "it is "+tt.code || !strings.Contains(second.Reason, tt.code) || second.CreatedAt.IsZero()) {
			t.Errorf("%+v: %+v, %+v", tt, stored, second)
		}
		b.clock.Add(30 * time.Second)
		if _, third := b.do(codedRequest(options{}), p); third.Stored != true {
			t.Errorf("%+v: after its time: %+v", tt, third)
		}
		b.want(cache.Hit, "", codedRequest(options{}), p)
	}
}

func TestSomeFailuresAreNeverStored(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"canceled", "internal", "replay_miss", "credential_missing"} {
		b := newBench(t)
		p := cache.Policy{Mode: cache.Both, TTL: cache.DefaultTTL, NegativeTTL: time.Hour, NegativeCodes: []string{code}}
		for range 2 {
			if _, o, err := b.Do(t.Context(), codedRequest(options{}), p, b.failing(coded(code))); o.Stored || !errors.Is(err, coded(code)) {
				t.Errorf("%s: %+v, %v", code, o, err)
			}
		}
		if b.runs.Load() != 2 {
			t.Errorf("%s: %d runs", code, b.runs.Load())
		}
	}
}

func TestAStoredFailureIsOnlyForCallsThatAskForIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	asks := policy(t, options{"negative_ttl": "30s"})
	b.Do(t.Context(), codedRequest(options{}), asks, b.failing(coded("not_found")))
	b.want(cache.Miss, "failure_stored: a failure (not_found)", codedRequest(options{}), policy(t, options{}))
	b.want(cache.Hit, "", codedRequest(options{}), asks) // the success is there now
}

func TestAFailureTakesNoResultsPlace(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.do(codedRequest(options{}), policy(t, options{}))
	p := policy(t, options{"mode": "write", "negative_ttl": "30s"})
	if _, o, err := b.Do(t.Context(), codedRequest(options{}), p, b.failing(coded("not_found"))); err == nil || o.Stored {
		t.Errorf("%+v, %v", o, err)
	}
	b.want(cache.Hit, "", codedRequest(options{}), policy(t, options{}))

	other := codedRequest(options{})
	other.Action = "web.search"
	named := options{"key": "k"}
	b.do(codedRequest(options{}), policy(t, named))
	if _, o, _ := b.Do(t.Context(), other, policy(t, options{"key": "k", "negative_ttl": "30s"}), b.failing(coded("not_found"))); o.Stored {
		t.Errorf("the failure of another action: %+v", o)
	}
	b.want(cache.Hit, "", codedRequest(options{}), policy(t, named))
}

func TestAStoredFailureIsAnEntry(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Do(t.Context(), codedRequest(options{}), policy(t, options{"negative_ttl": "30s"}), b.failing(coded("not_found")))
	found, err := b.Get(t.Context(), "me", b.key(codedRequest(options{}), options{}))
	want := value.Must(options{"success": false, "error": "it is not_found", "error_type": "not_found"})
	if err != nil || !value.Equal(found.Value, want) || found.Entry.Metadata.At(cache.MetaType).Text() != cache.TypeActionFailure {
		t.Errorf("%+v, %v", found, err)
	}
	filter := value.Object(value.M(cache.MetaType, value.String(cache.TypeActionFailure)))
	if done, err := b.Invalidate(t.Context(), cache.Selector{Metadata: filter}); done.Count != 1 || err != nil {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestOptionsOfStaleResultsAndFailures(t *testing.T) {
	t.Parallel()
	p := policy(t, options{"stale_while_revalidate": "1h", "stale_if_error": "7d", "negative_ttl": 30, "lock": "lease"})
	if p.StaleWhileRevalidate != time.Hour || p.StaleIfError != 7*24*time.Hour || p.NegativeTTL != 30*time.Second || !p.Lease {
		t.Errorf("%+v", p)
	}
	if len(p.NegativeCodes) != 1 || p.NegativeCodes[0] != "not_found" {
		t.Errorf("codes %v", p.NegativeCodes)
	}
	if p := policy(t, options{}); p.Lease || p.NegativeTTL != 0 || p.StaleIfError != 0 || p.StaleWhileRevalidate != 0 || p.NegativeCodes != nil {
		t.Errorf("%+v", p)
	}
	if p := policy(t, options{"negative_ttl": 0, "negative_codes": []any{"denied"}}); p.NegativeTTL != 0 {
		t.Errorf("switched off: %+v", p)
	}
	dynamic := func(string) bool { return false }
	_, problems := cache.Prepare(value.Must(options{"negative_codes": []any{"not_found"}}), dynamic, nil)
	if len(problems) != 1 || !strings.Contains(problems.Err().Error(), "without negative_ttl no failure is stored") {
		t.Errorf("%v", problems)
	}
}
