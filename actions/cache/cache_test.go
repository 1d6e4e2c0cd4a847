package cacheactions_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/actiontest"
	cacheactions "github.com/tea-agents/tea/actions/cache"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type object = map[string]any

// bench calls the actions of the group and some to wrap.
type bench struct {
	t      *testing.T
	invoke actions.Handler
	clock  *actiontest.Clock
	runs   atomic.Int64
}

type echoInput struct {
	Q    string      `json:"q,omitempty" doc:"Anything."`
	Give value.Value `json:"give,omitempty" doc:"What to return instead."`
}

func newBench(t *testing.T, extra ...filters.Filter) *bench {
	t.Helper()
	b := &bench{t: t}
	echo := actions.Define(actions.Spec{Name: "test.echo", Version: 1, Summary: "Counts."},
		func(_ context.Context, _ actions.Env, in echoInput) (value.Value, error) {
			n := b.runs.Add(1)
			if in.Q == "null" {
				return value.Null(), nil
			}
			if !in.Give.IsNull() {
				return in.Give, nil
			}
			return value.Object(value.M("n", value.Int(n)), value.M("q", value.String(in.Q))), nil
		})
	fail := actions.Define(actions.Spec{Name: "test.fail", Version: 1, Summary: "Fails."},
		func(_ context.Context, _ actions.Env, in echoInput) (value.Value, error) {
			b.runs.Add(1)
			if in.Q == "miss" {
				return value.Null(), actions.Errorf(actions.CodeReplayMiss, "not recorded")
			}
			return value.Null(), actions.Errorf(actions.CodeUnavailable, "down")
		})
	r, err := actions.NewRegistry(append(cacheactions.Actions(), echo, fail)...)
	if err != nil {
		t.Fatal(err)
	}
	env := actiontest.Env(t, r)
	if env.Filters, err = filters.NewSet(extra...); err != nil {
		t.Fatal(err)
	}
	b.clock, _ = env.Clock.(*actiontest.Clock)
	b.invoke = actiontest.Direct(r, env)
	return b
}

func (b *bench) call(action string, input object) (value.Value, error) {
	r, err := b.invoke(b.t.Context(), &actions.Call{ID: "c", Action: action, Input: value.Must(input)})
	return r.Output, err
}

// do calls an action that must not fail.
func (b *bench) do(action string, input object) value.Value {
	b.t.Helper()
	v, err := b.call(action, input)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

func (b *bench) want(got value.Value, want object) {
	b.t.Helper()
	for key, w := range want {
		if !value.Equal(got.At(key), value.Must(w)) {
			b.t.Errorf("%s is %v, want %v", key, got.At(key), w)
		}
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	r, err := actions.NewRegistry(cacheactions.Actions()...)
	if err != nil {
		t.Fatal(err)
	}
	actiontest.Run(t, r, &actiontest.Harness{
		Writes: true,
		Inputs: map[string]value.Value{
			"cache.wrap": value.Must(object{"action": "cache.get", "args": object{"key": "k"}, "key": "x", "ttl": "30d"}),
		},
	})
}

func TestWrapMissThenHit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	input := object{"action": "test.echo", "args": object{"q": "x"}}
	miss := b.do("cache.wrap", input)
	b.clock.Advance(time.Hour)
	hit := b.do("cache.wrap", input)
	b.want(miss, object{"success": true, "_cache_hit": false, "_cache_status": "miss", "_cache_reason": "not_found"})
	b.want(hit, object{"success": true, "_cache_hit": true, "_cache_status": "hit", "_cache_reason": "", "_cache_created_at": "2030-01-01T08:00:00.000Z"})
	if !value.Equal(miss.At("result"), hit.At("result")) || miss.At("result", "n").IsNull() {
		t.Errorf("results %v, %v", miss.At("result"), hit.At("result"))
	}
	if !value.Equal(miss.At("_cache_key"), hit.At("_cache_key")) || !strings.HasPrefix(hit.At("_cache_key").Text(), "cache:test:test.echo:") {
		t.Errorf("keys %v, %v", miss.At("_cache_key"), hit.At("_cache_key"))
	}
	keys := []string{"_cache_hit", "_cache_key", "_cache_reason", "_cache_status", "result", "success"}
	if got := miss.Keys(); !slices.Equal(got, keys) {
		t.Errorf("a miss has %v", got)
	}
	if got := hit.Keys(); !slices.Equal(got, slices.Insert(keys, 0, "_cache_created_at")) {
		t.Errorf("a hit has %v", got)
	}
}

func TestWrapNullIsAResult(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	input := object{"action": "test.echo", "args": object{"q": "null"}}
	b.do("cache.wrap", input)
	hit := b.do("cache.wrap", input)
	b.want(hit, object{"_cache_hit": true, "result": nil})
	if _, present := hit.Get("result"); !present || b.runs.Load() != 1 {
		t.Errorf("%v after %d runs", hit, b.runs.Load())
	}
}

func TestWrapByItsOtherName(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.do("actions.cache_wrap", object{"action": "actions.test_echo", "args": object{}})
	b.want(b.do("cache.wrap", object{"action": "test.echo", "args": object{}}), object{"_cache_hit": true})
	b.want(b.do("actions.cache_invalidate", object{"pattern": "*"}), object{"deleted_count": 1})
	b.want(b.do("actions.cache_get", object{"key": "k"}), object{"found": false})
}

func TestWrapControls(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	with := func(more object) object {
		more["action"], more["args"] = "test.echo", object{}
		return more
	}
	b.want(b.do("cache.wrap", with(object{})), object{"_cache_status": "miss"})
	b.want(b.do("cache.wrap", with(object{"skip_cache": true})), object{"_cache_status": "refreshed", "_cache_hit": false})
	b.want(b.do("cache.wrap", with(object{})), object{"_cache_status": "hit", "result": object{"n": 2, "q": "", "success": true}})
	b.want(b.do("cache.wrap", with(object{"cache_enabled": false})), object{"_cache_status": "bypass", "_cache_reason": "off", "_cache_key": ""})
	b.want(b.do("cache.wrap", with(object{"key": "{}", "unless": "result.n > 3", "ttl_seconds": 60})), object{"_cache_status": "miss", "_cache_reason": "unless: the condition holds"})
	b.want(b.do("cache.wrap", with(object{"key_strategy": "custom"})), object{
		"_cache_status": "uncacheable", "_cache_key": "", "success": true,
		"_cache_reason": "key: it is null; a missing value never becomes a key",
	})
	b.want(b.do("cache.wrap", with(object{"key": nil})), object{
		"_cache_status": "uncacheable", "_cache_key": "", "success": true,
		"_cache_reason": "key: it is null; a missing value never becomes a key",
	})
	if n := b.runs.Load(); n != 6 {
		t.Errorf("%d runs", n)
	}
}

func TestWrapUnlessKnowsTheProgramsOwnFilters(t *testing.T) {
	t.Parallel()
	b := newBench(t, filters.Filter{Name: "boring", Apply: func(_ context.Context, v value.Value, _ filters.Args) (value.Value, error) {
		return value.Bool(v.At("q").Text() == "yawn"), nil
	}})
	for q, reason := range map[string]string{"yawn": "unless: the condition holds", "wow": "not_found"} {
		input := object{"action": "test.echo", "args": object{"q": q}, "unless": "result | boring"}
		b.want(b.do("cache.wrap", input), object{"_cache_status": "miss", "_cache_reason": reason})
	}
}

func TestWrapMistakes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, tt := range []struct {
		input object
		code  actions.Code
		want  string
	}{
		{object{"action": "test.ehco", "args": object{}}, actions.CodeInvalidInput, `unknown action "test.ehco" (did you mean "test.echo"?)`},
		{object{"action": "test.echo"}, actions.CodeInvalidInput, `missing required key "args"`},
		{object{"action": "test.echo", "args": object{}, "key_stratgy": "args"}, actions.CodeInvalidInput, `did you mean "key_strategy"?`},
		{object{"action": "test.echo", "args": object{}, "key_strategy": "argz"}, actions.CodeInvalidInput, "key_strategy"},
		{object{"action": "test.echo", "args": object{}, "ttl": "soon"}, actions.CodeInvalidInput, "ttl: want a duration"},
		{object{"action": "test.echo", "args": object{}, "ttl_days": -1}, actions.CodeInvalidInput, "cannot be negative"},
		{object{"action": "test.echo", "args": object{}, "unless": "result.("}, actions.CodeInvalidInput, "unless"},
		{object{"action": "test.echo", "args": object{}, "cleanup_probability": 1.5}, actions.CodeInvalidInput, "cleanup_probability"},
		{object{"action": "test.echo", "args": object{"p": 1}}, actions.CodeInvalidInput, `unknown key "p"`},
		{object{"action": "test.echo", "args": object{}, "mode": "require"}, actions.CodeNotFound, "no stored result"},
	} {
		_, err := b.call("cache.wrap", tt.input)
		if actions.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v (%s), want %s with %q", tt.input, err, actions.CodeOf(err), tt.code, tt.want)
		}
	}
}

func TestWrapOfAFailingAction(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, err := b.call("cache.wrap", object{"action": "test.fail", "args": object{}})
	if actions.CodeOf(err) != actions.CodeUnavailable {
		t.Errorf("raised %v", err)
	}
	got := b.do("cache.wrap", object{"action": "test.fail", "args": object{}, "on_action_error": "return"})
	b.want(got, object{
		"success": false, "error": "down", "error_type": "unavailable", "result": nil,
		"_cache_hit": false, "_cache_status": "miss",
	})
	if b.runs.Load() != 2 {
		t.Error("the failure was stored")
	}
	_, err = b.call("cache.wrap", object{"action": "test.fail", "args": object{"q": "miss"}, "on_action_error": "return"})
	if actions.CodeOf(err) != actions.CodeReplayMiss {
		t.Errorf("a replay miss became %v", err)
	}
}

func TestWrapOfAResultThatSaysFailure(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	input := object{"action": "test.echo", "args": object{"give": object{"success": false, "error": "no", "error_type": "failed"}}}
	b.want(b.do("cache.wrap", input), object{"success": false, "error": "no", "error_type": "failed", "_cache_status": "miss"})
	b.do("cache.wrap", input)
	if b.runs.Load() != 2 {
		t.Error("the failure was stored")
	}
}

func TestWrapKeepsSecretsOutOfSight(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	input := value.Object(value.M("action", value.String("test.echo")),
		value.M("args", value.Object(value.M("q", value.Secret("api")))))
	r, err := b.invoke(t.Context(), &actions.Call{ID: "c", Action: "cache.wrap", Input: input})
	if err != nil || r.Output.At("result", "q").Text() != "secret-api" {
		t.Fatalf("the action got %v, %v", r.Output, err)
	}
	got := b.do("cache.get", object{"key": r.Output.At("_cache_key").Text(), "include_metadata": true})
	if meta := got.At("metadata").String(); strings.Contains(meta, "secret-api") || !strings.Contains(meta, value.Mask) {
		t.Errorf("metadata %s", meta)
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.do("cache.wrap", object{"action": "test.echo", "args": object{}, "key": "cache:extract:ab", "ttl_seconds": 60})
	for _, key := range []string{"extract:ab", "cache:extract:ab", "cache:test:custom:extract%3Aab"} {
		got := b.do("cache.get", object{"key": key})
		b.want(got, object{"success": true, "found": true, "expired": false, "value": object{"n": 1, "q": "", "success": true}})
		if !slices.Equal(got.Keys(), []string{"expired", "found", "success", "value"}) {
			t.Errorf("keys %v", got.Keys())
		}
	}
	b.clock.Advance(time.Minute)
	got := b.do("cache.get", object{"key": "extract:ab", "include_metadata": true})
	b.want(got, object{"found": true, "expired": true})
	b.want(got.At("metadata"), object{
		"_cache_type": "action_result", "_cache_action": "test.echo", "_cache_key": "cache:test:custom:extract%3Aab",
		"_cache_created_at": "2030-01-01T08:00:00.000Z", "_cache_expires_at": "2030-01-01T08:01:00.000Z",
	})
	b.want(b.do("cache.get", object{"key": "none", "include_metadata": true}), object{"found": false, "value": nil, "expired": false, "metadata": object{}})
	for _, input := range []object{{"key": ""}, {"key": "cache:"}, {"key": "k", "namespace": "*"}, {"key": "k", "namespace": "x", "key_prefix": false}} {
		if _, err := b.call("cache.get", input); actions.CodeOf(err) != actions.CodeInvalidInput {
			t.Errorf("%v: %v", input, err)
		}
	}
}

func TestGetInOtherNamespaces(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.do("cache.wrap", object{"action": "test.echo", "args": object{}, "key": "k", "namespace": "ours"})
	b.do("cache.wrap", object{"action": "test.echo", "args": object{}, "key": "s", "key_prefix": false})
	for _, tt := range []struct {
		input object
		found bool
	}{
		{object{"key": "k"}, false},
		{object{"key": "k", "namespace": "ours"}, true},
		{object{"key": "cache:ours:custom:k"}, false},
		{object{"key": "s"}, false},
		{object{"key": "s", "key_prefix": false}, true},
		{object{"key": "cache::custom:s"}, true},
	} {
		b.want(b.do("cache.get", tt.input), object{"found": tt.found})
	}
}

func TestInvalidate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, key := range []string{"a:1", "a:2", "b:1"} {
		b.do("cache.wrap", object{"action": "test.echo", "args": object{}, "key": key})
	}
	b.want(b.do("cache.invalidate", object{"key": "cache:b:1"}), object{
		"success": true, "deleted_count": 1, "deleted_keys": []any{"cache:test:custom:b%3A1"}, "truncated": false,
	})
	b.want(b.do("cache.invalidate", object{"pattern": "b:*"}), object{"deleted_count": 0, "deleted_keys": []any{}})
	b.want(b.do("cache.invalidate", object{"pattern": "cache:a:*", "metadata_filter": object{"_cache_action": "other"}}), object{"deleted_count": 0})
	b.want(b.do("cache.invalidate", object{"metadata_filter": object{"_cache_action": "test.echo"}}), object{"deleted_count": 2})
	for _, input := range []object{{}, {"key": ""}, {"pattern": ""}, {"metadata_filter": object{}}, {"namespace": "*"}} {
		if _, err := b.call("cache.invalidate", input); actions.CodeOf(err) != actions.CodeInvalidInput {
			t.Errorf("%v: %v", input, err)
		}
	}
}

func TestInvalidateWithASelectorThatIsMissingDeletesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.do("cache.wrap", object{"action": "test.echo", "args": object{}, "key": "a"})
	all := object{"_cache_action": "test.echo"}
	for _, tt := range []struct {
		input object
		want  string
	}{
		{object{"key": nil, "metadata_filter": all}, "key: it is null"},
		{object{"key": "", "metadata_filter": all}, "key: it is empty"},
		{object{"key": nil, "pattern": "*"}, "key: it is null"},
		{object{"key": []any{}, "pattern": "*"}, "key: expected a string, got list"},
		{object{"pattern": nil, "key": "a"}, "pattern: it is null"},
		{object{"pattern": "", "metadata_filter": all}, "pattern: it is empty"},
		{object{"metadata_filter": nil, "pattern": "*"}, "metadata_filter: it is null"},
		{object{"metadata_filter": "x", "pattern": "*"}, "metadata_filter: expected an object, got string"},
	} {
		_, err := b.call("cache.invalidate", tt.input)
		if actions.CodeOf(err) != actions.CodeInvalidInput || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.input, err, tt.want)
		}
	}
	_, err := b.invoke(t.Context(), &actions.Call{
		ID: "c", Action: "cache.invalidate", Input: value.Must(object{"pattern": "*"}),
		Late: map[string]error{"key": errors.New("state.q is missing")},
	})
	if actions.CodeOf(err) != actions.CodeInvalidInput || !strings.Contains(err.Error(), "key: state.q is missing") {
		t.Errorf("a key that could not be rendered: %v", err)
	}
	b.want(b.do("cache.get", object{"key": "a"}), object{"found": true})
}

func TestWithoutACache(t *testing.T) {
	t.Parallel()
	r, err := actions.NewRegistry(cacheactions.Actions()...)
	if err != nil {
		t.Fatal(err)
	}
	env := actiontest.Env(t, r)
	env.Cache = nil
	h := actiontest.Direct(r, env)
	for action, input := range map[string]object{"cache.get": {"key": "k"}, "cache.invalidate": {"key": "k"}} {
		_, err := h(t.Context(), &actions.Call{Action: action, Input: value.Must(input)})
		if actions.CodeOf(err) != actions.CodeUnavailable || errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", action, err)
		}
	}
}

func TestEveryCodeButSomeCanBeStored(t *testing.T) {
	t.Parallel()
	options, err := schema.For[cache.Settings]()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, c := range actions.Codes() {
		switch c {
		case actions.CodeCanceled, actions.CodeInternal, actions.CodeReplayMiss, actions.CodeCredentialMissing:
		default:
			want = append(want, string(c))
		}
	}
	if f, _ := options.Field("negative_codes"); !slices.Equal(f.Enum, want) {
		t.Errorf("negative_codes are %v, want %v", f.Enum, want)
	}
}

func TestWrapServesWhatIsStale(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	key := object{"key": "k", "ttl": "1m"}
	with := func(action string, more object) object {
		input := maps.Clone(key)
		maps.Copy(input, more)
		input["action"], input["args"] = action, object{}
		return input
	}
	fresh := b.do("cache.wrap", with("test.echo", object{"stale_if_error": "1h", "stale_while_revalidate": "1h"}))
	b.clock.Advance(2 * time.Minute)
	stale := b.do("cache.wrap", with("test.echo", object{"stale_while_revalidate": "1h"}))
	b.want(stale, object{
		"success": true, "_cache_hit": true, "_cache_status": "stale", "_cache_created_at": "2030-01-01T08:00:00.000Z",
		"_cache_reason": "stale_while_revalidate: expired at 2030-01-01T08:01:00.000Z",
	})
	if !value.Equal(fresh.At("result"), stale.At("result")) {
		t.Errorf("%v, then %v", fresh, stale)
	}
}
