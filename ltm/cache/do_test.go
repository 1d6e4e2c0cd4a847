package cache_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

func TestMissThenHit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := policy(t, options{})
	first, miss := b.do(request(options{"q": 1}), p)
	b.clock.Add(time.Second)
	second, hit := b.do(request(options{"q": 1}), p)
	if miss.Status != cache.Miss || miss.Reason != "not_found" || !miss.CreatedAt.IsZero() {
		t.Errorf("first: %+v", miss)
	}
	if hit.Status != cache.Hit || hit.Key != miss.Key || cache.FormatTime(hit.CreatedAt) != "2026-02-22T10:00:00.000Z" {
		t.Errorf("second: %+v", hit)
	}
	if b.runs.Load() != 1 || !value.Equal(first, second) {
		t.Errorf("%d runs, %v then %v", b.runs.Load(), first, second)
	}
	b.want(cache.Miss, "not_found", request(options{"q": 2}), p)
}

func TestHitAndMissReturnTheSameResult(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i, result := range []value.Value{
		value.Null(), value.Bool(false), value.String(""), value.Float(1), value.Float(-0.5), value.Float(math.Copysign(0, -1)),
		value.Float(1e300), value.Int(math.MaxInt64), value.String("é \u0000 \U0001F600"),
		value.Must(options{"b": []any{1, 2.0}, "a": nil}),
	} {
		run := func(context.Context) (value.Value, error) { return result, nil }
		req := request(options{"i": i})
		miss, _, err := b.Do(t.Context(), req, policy(t, options{}), run)
		hit, o, err2 := b.Do(t.Context(), req, policy(t, options{}), run)
		if err != nil || err2 != nil || o.Status != cache.Hit || !value.Equal(miss, hit) {
			t.Errorf("%v: %v, then %v %v", result, miss, hit, o)
		}
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := policy(t, options{"ttl_seconds": 10})
	b.do(request(options{}), p)
	b.clock.Add(10*time.Second - time.Millisecond)
	b.want(cache.Hit, "", request(options{}), p)
	b.clock.Add(time.Millisecond)
	b.want(cache.Expired, "expired: at 2026-02-22T10:00:10.000Z", request(options{}), p)
	o := b.want(cache.Hit, "", request(options{}), p)
	if got := cache.FormatTime(o.CreatedAt); got != "2026-02-22T10:00:10.000Z" {
		t.Errorf("the fresh entry was made at %s", got)
	}
	never := policy(t, options{"ttl": "never", "version": "2"})
	b.do(request(options{}), never)
	b.clock.Add(200 * 365 * 24 * time.Hour)
	b.want(cache.Hit, "", request(options{}), never)
}

func TestModes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	read, write := policy(t, options{"mode": "read"}), policy(t, options{"skip_cache": true})
	require, off := policy(t, options{"mode": "require"}), policy(t, options{"cache_enabled": false})

	b.want(cache.Miss, "not_found", request(options{}), read)
	b.want(cache.Miss, "not_found", request(options{}), read)
	_, o, err := b.Do(t.Context(), request(options{}), require, b.answer)
	if !errors.Is(err, cache.ErrMiss) || o.Status != cache.Miss {
		t.Errorf("require on a miss: %v, %v", o, err)
	}
	b.want(cache.Refreshed, "", request(options{}), write)
	b.want(cache.Refreshed, "", request(options{}), write)
	if n := b.runs.Load(); n != 4 {
		t.Errorf("%d runs", n)
	}
	b.want(cache.Hit, "", request(options{}), require)
	v, _ := b.do(request(options{}), read)
	if !value.Equal(v, value.Must(options{"n": 4})) {
		t.Errorf("the fresh result did not replace the old one: %v", v)
	}
	gets, puts := b.store.Gets.Load(), b.store.Puts.Load()
	o = b.want(cache.Bypass, "off", request(options{}), off)
	if o.Key != "" || b.store.Gets.Load() != gets || b.store.Puts.Load() != puts {
		t.Errorf("off did some work: %+v", o)
	}
}

func TestWhatIsNotStored(t *testing.T) {
	t.Parallel()
	big := value.String(strings.Repeat("x", 1000))
	for _, tt := range []struct {
		name    string
		result  value.Value
		options options
		reason  string
	}{
		{"success false", value.Must(options{"success": false}), nil, "failed"},
		{"an error", value.Must(options{"error": "no"}), nil, "failed"},
		{"a structured error", value.Must(options{"error": options{"code": 1}}), nil, "failed"},
		{"lifetime 0", value.Int(1), options{"ttl_seconds": 0}, "ttl_zero"},
		{"too large", big, options{"max_entry_bytes": 1001}, "too_large"},
		{"NaN", value.Float(math.NaN()), nil, "not_json"},
		{"bad UTF-8", value.String("\xff"), nil, "not_json"},
		{"a secret", value.Secret("s"), nil, "not_json"},
	} {
		b := newBench(t)
		p := policy(t, tt.options)
		run := func(context.Context) (value.Value, error) { return tt.result, nil }
		_, o, err := b.Do(t.Context(), request(options{}), p, run)
		if err != nil || o.Status != cache.Miss || !strings.HasPrefix(o.Reason, tt.reason) || b.store.Puts.Load() != 0 {
			t.Errorf("%s: %+v, %v, %d stored", tt.name, o, err, b.store.Puts.Load())
		}
	}
}

func TestWhatIsStoredAllTheSame(t *testing.T) {
	t.Parallel()
	for _, result := range []value.Value{
		value.Null(),
		value.Must(options{"error": nil}),
		value.Must(options{"error": ""}),
		value.Must(options{"error": "partly", "success": true}),
		value.String(strings.Repeat("x", 998)),
	} {
		b := newBench(t)
		run := func(context.Context) (value.Value, error) { return result, nil }
		p := policy(t, options{"max_entry_bytes": 1000})
		b.Do(t.Context(), request(options{}), p, run)
		b.want(cache.Hit, "", request(options{}), p)
	}
}

func TestErrorsAreNotStored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	fails := errors.New("no")
	_, o, err := b.Do(t.Context(), request(options{}), policy(t, options{}), func(context.Context) (value.Value, error) {
		return value.Int(1), fails
	})
	if !errors.Is(err, fails) || o.Status != cache.Miss || b.store.Puts.Load() != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestACancelledResultIsNotStored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	v, o, err := b.Do(ctx, request(options{}), policy(t, options{}), func(ctx context.Context) (value.Value, error) {
		cancel()
		<-ctx.Done()
		return value.Int(1), nil
	})
	if err != nil || !value.Equal(v, value.Int(1)) || !strings.HasPrefix(o.Reason, "canceled") || b.store.Puts.Load() != 0 {
		t.Errorf("%v %+v, %v", v, o, err)
	}
}

func TestUnless(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := policy(t, options{})
	p.Unless = func(v value.Value) (bool, error) { return value.Equal(v, value.Must(options{"n": 1})), nil }
	b.want(cache.Miss, "unless: the condition holds", request(options{}), p)
	b.want(cache.Miss, "not_found", request(options{}), p)
	b.want(cache.Hit, "", request(options{}), p)
	p.Unless = func(value.Value) (bool, error) { return false, errors.New("bad expression") }
	b.want(cache.Miss, "unless: bad expression", request(options{"q": 1}), p)
}

func TestMetadataOfAnEntry(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	req := request(options{"q": "x"})
	req.Cost = func(value.Value) (float64, bool) { return 0.25, true }
	_, o, _ := b.Do(t.Context(), req, policy(t, options{"ttl": "1h"}), func(ctx context.Context) (value.Value, error) {
		b.clock.Add(1500 * time.Millisecond)
		return b.answer(ctx)
	})
	found, err := b.Get(t.Context(), "me", o.Key)
	if err != nil || !found.Found {
		t.Fatal(found, err)
	}
	meta := found.Entry.Metadata
	wants := options{
		"_cache_type":       "action_result",
		"_cache_key":        o.Key,
		"_cache_created_at": "2026-02-22T10:00:01.500Z",
		"_cache_expires_at": "2026-02-22T11:00:01.500Z",
		"_cache_action":     "http.get",
		"size":              len(`{"n":1}`),
		"duration_ms":       1500,
		"cost":              0.25,
	}
	for name, want := range wants {
		if got := meta.At(name); !value.Equal(got, value.Must(want)) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if revision, ok := meta.At("revision").AsInt(); !ok || revision == 0 {
		t.Errorf("revision is %v", meta.At("revision"))
	}
	if meta.At("_cache_material", "args.q", "preview").Text() != `"x"` || found.Entry.Duration != 1500*time.Millisecond {
		t.Errorf("material %v, duration %v", meta.At("_cache_material"), found.Entry.Duration)
	}
}

func TestACustomKeyOfTwoActionsNeverSwapsResults(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := policy(t, options{"key": "k"})
	one, other := request(options{}), request(options{})
	other.Action = "web.search"
	b.do(one, p)
	b.want(cache.Miss, "action_changed", other, p)
	newer := other
	newer.Version = 2
	b.want(cache.Miss, "action_version_changed", newer, p)
	b.want(cache.Miss, "version_changed", newer, policy(t, options{"key": "k", "version": "2"}))
	b.want(cache.Miss, "version_changed", newer, p)
	b.want(cache.Miss, "vary_changed", newer, policy(t, options{"key": "k", "vary": []any{"t1"}}))
	b.want(cache.Miss, "vary_changed", newer, policy(t, options{"key": "k", "vary": []any{"t2"}}))
	b.want(cache.Hit, "", newer, policy(t, options{"key": "k", "vary": []any{"t2"}}))
}

func TestUnnamedAgentsDoNotShare(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, other := request(options{}), request(options{})
	one.AgentID, other.AgentID = "file-1", "file-2"
	b.do(one, policy(t, options{}))
	b.want(cache.Miss, "agent_changed", other, policy(t, options{}))
	shared := policy(t, options{"key_prefix": false})
	b.do(one, shared)
	b.want(cache.Hit, "", other, shared)
	named := policy(t, options{"namespace": "ours"})
	b.do(one, named)
	b.want(cache.Hit, "", other, named)
}

func TestOutcomesAreCounted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.do(request(options{}), policy(t, options{}))
	b.do(request(options{}), policy(t, options{}))
	b.do(request(options{}), policy(t, options{}))
	b.do(request(options{}), policy(t, options{"mode": "off"}))
	stats, err := b.Stats(t.Context())
	if err != nil || stats.Served[cache.Miss] != 1 || stats.Served[cache.Hit] != 2 || stats.Served[cache.Bypass] != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
}
