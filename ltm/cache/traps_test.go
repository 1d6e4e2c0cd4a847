package cache_test

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

func TestTenConcurrentEqualCallsRunOnce(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		var wg sync.WaitGroup
		started := make(chan struct{})
		p := policy(t, options{})
		for range 10 {
			wg.Go(func() {
				<-started
				v, _, err := b.Do(t.Context(), request(options{}), p, b.answer)
				if err != nil || !value.Equal(v, value.Must(options{"n": 1})) {
					t.Errorf("%s: %v, %v", name, v, err)
				}
			})
		}
		close(started)
		wg.Wait()
		if b.runs.Load() != 1 {
			t.Errorf("%s: %d runs", name, b.runs.Load())
		}
	}
}

func TestNestedCallsWithOneCustomKeyDoNotDeadlock(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := policy(t, options{"key": "k"})
	outer, inner := request(options{}), request(options{})
	outer.Action = "web.search"
	for _, outer := range []cache.Request{inner, outer} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		v, _, err := b.Do(ctx, outer, p, func(ctx context.Context) (value.Value, error) {
			v, _, err := b.Do(ctx, inner, p, b.answer)
			return v, err
		})
		cancel()
		if err != nil || v.IsNull() {
			t.Errorf("%s in %s: %v, %v", inner.Action, outer.Action, v, err)
		}
	}
}

func TestCleanupReachesEveryExpiredEntryUnderTheLiveOnes(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		b.fill("a-live", 115, "never")
		b.fill("old", 100, "1m")
		b.fill("z-live", 115, "1d")
		b.clock.Add(time.Minute)
		for i := range 20 {
			b.do(request(options{"i": i}), policy(t, options{"cleanup_probability": 1, "cleanup_limit": 5}))
		}
		b.Close()
		stats, err := b.Stats(t.Context())
		if err != nil || stats.Expired != 0 || stats.Namespaces[0].Entries != 230+20 {
			t.Errorf("%s: %+v, %v", name, stats, err)
		}
	}
}

func TestAPatternForAllDeletesFifteenHundred(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		b.fill("k", 1500, "1h")
		done, err := b.Invalidate(t.Context(), cache.Selector{Agent: "me", Pattern: "cache:*"})
		if err != nil || done.Count != 1500 || len(done.Keys) != 1000 || !done.Truncated || b.entries() != 0 {
			t.Errorf("%s: %d deleted, %d keys, %d left, %v", name, done.Count, len(done.Keys), b.entries(), err)
		}
	}
}

func TestAMisspeltKeySourceIsAnError(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{"sha256", "file_content"} {
		_, problems := prepare(options{"key_strategy": strategy, "key_source": "flie"}, "file", "text")
		if len(problems) != 1 || !strings.Contains(problems[0].String(), `"flie" (did you mean "file"?)`) {
			t.Errorf("%s: %v", strategy, problems)
		}
	}
}

func TestAResultWithAnErrorIsNotCached(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range 2 {
		b.Do(t.Context(), request(options{}), policy(t, options{}), func(context.Context) (value.Value, error) {
			b.runs.Add(1)
			return value.Must(options{"error": "rate limit"}), nil
		})
	}
	if b.runs.Load() != 2 || b.entries() != 0 {
		t.Errorf("%d runs, %d entries", b.runs.Load(), b.entries())
	}
}

func TestFileContentWithAnotherArgumentMisses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f := &files{content: "one", stamp: "1"}
	p := policy(t, options{"key_strategy": "file_content"})
	b.want(cache.Miss, "not_found", f.request(options{"file": "/a", "agent_name": "x"}), p)
	b.want(cache.Miss, "not_found", f.request(options{"file": "/a", "agent_name": "y"}), p)
	b.want(cache.Hit, "", f.request(options{"file": "/b", "agent_name": "x"}), p)
}

func TestAKeyWithColonsStaysWithItsAgent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	mine, theirs := request(options{}), request(options{})
	theirs.Namespace = "other"
	b.do(theirs, policy(t, options{"key": "x"}))
	b.do(theirs, policy(t, options{"key": "x:y"}))
	for _, key := range []string{"cache:other:x", "cache:other:custom:x", "cache:x:y", "cache::x:y"} {
		b.want(cache.Miss, "not_found", mine, policy(t, options{"key": key}))
	}
	if done, err := b.Invalidate(t.Context(), cache.Selector{Agent: "me", Key: "cache:other:custom:x"}); err != nil || done.Count != 1 {
		t.Errorf("deleted %+v, %v", done, err) // the agent's own words
	}
	b.want(cache.Hit, "", theirs, policy(t, options{"key": "x"}))
	b.want(cache.Hit, "", theirs, policy(t, options{"key": "cache:x:y"}))
}

func TestMapKeysOfMixedTypesNeverAbort(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	args := func(m map[any]any) cache.Request {
		v, err := value.From(map[string]any{"m": m})
		if err != nil {
			t.Fatal(err)
		}
		req := request(options{})
		req.Args = v
		return req
	}
	one := b.key(args(map[any]any{1: "a", "b": 2, true: 3, 2.5: 4}), options{})
	if one != b.key(args(map[any]any{2.5: 4, true: 3, "b": 2, 1: "a"}), options{}) {
		t.Error("the order of the members takes part")
	}
	if _, err := value.From(map[any]any{1: "a", "1": "b"}); err == nil {
		t.Error("two members with one name are no error")
	}
	if _, err := value.From(map[any]any{struct{}{}: 1}); err == nil {
		t.Error("a key that cannot be a name is no error")
	}
}

func TestIntegersAreExactInKeys(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	seen := map[string]string{}
	for _, text := range []string{
		"9007199254740992", "9007199254740993", "9007199254740994", "9223372036854775807", "9223372036854775808",
		"18446744073709551615", "18446744073709551616", "18446744073709551617", "-9007199254740993", "9007199254740992.0",
	} {
		n, err := value.Number(text)
		if err != nil {
			t.Fatal(err)
		}
		req := request(options{})
		req.Args = value.Object(value.M("id", n))
		key := b.key(req, options{})
		if seen[key] != "" {
			t.Errorf("%s and %s have one key", text, seen[key])
		}
		seen[key] = text
	}
	huge := value.BigInt(new(big.Int).Lsh(big.NewInt(1), 200))
	_, _, err := b.Do(t.Context(), request(options{"x": 1}), policy(t, options{}), func(context.Context) (value.Value, error) { return huge, nil })
	if v, o := b.do(request(options{"x": 1}), policy(t, options{})); err != nil || o.Status != cache.Hit || !value.Equal(v, huge) {
		t.Errorf("a hit gives %v", v)
	}
}

func TestInvalidUTF8NeverMakesAKey(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"\xff", "a\xc3", "\xed\xa0\x80"} {
		for _, tt := range []struct {
			args    value.Value
			options options
		}{
			{value.Object(value.M("x", value.String(bad))), options{}},
			{value.Object(value.M(bad, value.Int(1))), options{}},
			{value.Object(value.M("x", value.String(bad))), options{"key_strategy": "sha256", "key_source": "x"}},
			{value.Object(), options{"key": bad}},
		} {
			b := newBench(t)
			req := request(options{})
			req.Args = tt.args
			if o := b.want(cache.Uncacheable, "", req, policy(t, tt.options)); o.Key != "" || b.store.Puts.Load() != 0 {
				t.Errorf("%q, %v: %+v", bad, tt.options, o)
			}
		}
	}
}

func TestAMissingValueNeverBecomesAKey(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, o := range []options{
		{"key": nil}, {"key": ""}, {"key_strategy": "custom"}, {"key_strategy": "sha256"},
		{"key_strategy": "sha256", "key_source": nil}, {"key_strategy": "sha256", "key_source": "", "key_source_is": "value"},
		{"key_strategy": "sha256", "key_source": "gone"}, {"key_strategy": "file_content", "key_source": "gone"},
	} {
		b.want(cache.Uncacheable, "", request(options{"here": 1}), policy(t, o))
	}
	if b.store.Puts.Load() != 0 {
		t.Errorf("%d stored", b.store.Puts.Load())
	}
}

// anyResult draws what an action may return.
func anyResult(depth int) *rapid.Generator[value.Value] {
	leaves := []*rapid.Generator[value.Value]{
		rapid.Just(value.Null()),
		rapid.Map(rapid.Bool(), value.Bool),
		rapid.Map(rapid.Int64(), value.Int),
		rapid.Map(rapid.Float64Range(-1e300, 1e300), value.Float),
		rapid.Map(rapid.String(), func(s string) value.Value { return value.String(strings.ToValidUTF8(s, "?")) }),
		rapid.Map(rapid.Int64(), func(i int64) value.Value {
			return value.BigInt(new(big.Int).Mul(big.NewInt(i), new(big.Int).Lsh(big.NewInt(1), 64)))
		}),
	}
	if depth > 0 {
		inner := anyResult(depth - 1)
		leaves = append(leaves,
			rapid.Map(rapid.SliceOfN(inner, 0, 4), func(items []value.Value) value.Value { return value.List(items...) }),
			rapid.Map(rapid.MapOfN(rapid.StringMatching(`[a-z_. é]{0,4}`), inner, 0, 4), value.Map))
	}
	return rapid.OneOf(leaves...)
}

func TestAHitEqualsItsMiss(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		calls := 0
		p := policy(t, options{})
		rapid.Check(t, func(r *rapid.T) {
			result := value.Object(value.M("success", value.Bool(true)), value.M("data", anyResult(3).Draw(r, "result")))
			calls++
			req := request(options{"call": calls})
			run := func(context.Context) (value.Value, error) { return result, nil }
			miss, first, err := b.Do(t.Context(), req, p, run)
			if err != nil || first.Status != cache.Miss {
				r.Fatalf("%s: %+v, %v", name, first, err)
			}
			for range 2 { // from the store, then from memory
				hit, second, err := b.Do(t.Context(), req, p, run)
				if err != nil || second.Status != cache.Hit || !value.Equal(hit, miss) || hit.String() != miss.String() {
					r.Fatalf("%s: %v became %v (%+v), %v", name, miss, hit, second, err)
				}
			}
		})
	}
}

func TestRandomArgumentsOfDifferentCallsNeverShareAKey(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	seen := map[string]value.Value{}
	rapid.Check(t, func(r *rapid.T) {
		args := value.Object(value.M("x", anyResult(3).Draw(r, "x")))
		req := request(options{})
		req.Args = args
		key := b.key(req, options{})
		if other, ok := seen[key]; ok && !value.Equal(other, args) {
			r.Fatalf("%v and %v share a key", args, other)
		}
		seen[key] = args
		if again := b.key(req, options{}); again != key {
			r.Fatal(fmt.Sprint("the key changed from ", key, " to ", again))
		}
	})
}
