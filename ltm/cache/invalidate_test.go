package cache_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

func TestGetFindsUnderTheUsersWordsAndTheReturnedKey(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	custom := b.want(cache.Miss, "", request(options{}), policy(t, options{"key": "cache:extract:ab"}))
	hashed := b.want(cache.Miss, "", request(options{}), policy(t, options{}))
	shared := b.want(cache.Miss, "", request(options{}), policy(t, options{"key": "s", "key_prefix": false}))
	for _, key := range []string{"extract:ab", "cache:extract:ab", custom.Key, hashed.Key, shared.Key} {
		if found, err := b.Get(t.Context(), "me", key); err != nil || !found.Found || found.Expired {
			t.Errorf("%q: %+v, %v", key, found, err)
		}
	}
	if found, err := b.Get(t.Context(), cache.Shared, "s"); err != nil || !found.Found {
		t.Errorf("the shared entry under the user's words: %+v, %v", found, err)
	}
	for _, key := range []string{"s", "nothing", "cache:other:custom:extract%3Aab"} {
		if found, err := b.Get(t.Context(), "me", key); err != nil || found.Found {
			t.Errorf("%q: %+v, %v", key, found, err)
		}
	}
	if _, err := b.Get(t.Context(), "me", "cache:"); !errors.Is(err, cache.ErrSelector) {
		t.Errorf("an empty key: %v", err)
	}
	if found, _ := b.Get(t.Context(), "other", custom.Key); found.Found {
		t.Error("another agent reads this one's entry")
	}
}

func TestGetReturnsTheBareResultAlsoWhenExpired(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.do(request(options{}), policy(t, options{"key": "k", "ttl": "1m"}))
	b.clock.Add(time.Minute)
	found, err := b.Get(t.Context(), "me", "k")
	if err != nil || !found.Found || !found.Expired || !value.Equal(found.Value, value.Must(options{"n": 1})) {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestInvalidate(t *testing.T) {
	t.Parallel()
	const all = "me/a:1 me/a:2 me/b:1 other/a:1 /a:1"
	for _, tt := range []struct {
		name     string
		selector cache.Selector
		want     string // what is left
	}{
		{"a key", cache.Selector{Key: "a:1"}, "me/a:2 me/b:1 other/a:1 /a:1"},
		{"a full key", cache.Selector{Key: "cache:me:custom:a%3A1"}, "me/a:2 me/b:1 other/a:1 /a:1"},
		{"a shared key", cache.Selector{Key: "cache::custom:a%3A1"}, "me/a:1 me/a:2 me/b:1 other/a:1"},
		{"an unknown key", cache.Selector{Key: "c:1"}, all},
		{"another agent's full key", cache.Selector{Key: "cache:other:custom:a%3A1"}, all},
		{"a pattern", cache.Selector{Pattern: "cache:a:*"}, "me/b:1 other/a:1 /a:1"},
		{"all of this namespace", cache.Selector{Pattern: "cache:*"}, "other/a:1 /a:1"},
		{"all of another namespace", cache.Selector{Namespace: "other", Pattern: "*"}, "me/a:1 me/a:2 me/b:1 /a:1"},
		{"all shared", cache.Selector{Shared: true, Pattern: "*"}, "me/a:1 me/a:2 me/b:1 other/a:1"},
		{"all namespaces", cache.Selector{Namespace: "*", Pattern: "a:1"}, "me/a:2 me/b:1"},
		{"a key in all namespaces", cache.Selector{Namespace: "*", Key: "a:1"}, "me/a:2 me/b:1"},
		{"everything", cache.Selector{Namespace: "*", Pattern: "*"}, ""},
		{"key and pattern", cache.Selector{Key: "a:1", Pattern: "b:*"}, all},
		{"metadata spans all namespaces", cache.Selector{Metadata: value.Must(options{"_cache_action": "web.search"})}, "me/a:1 me/a:2 other/a:1 /a:1"},
		{"metadata and a pattern", cache.Selector{Pattern: "a:*", Metadata: value.Must(options{"_cache_action": "web.search"})}, all},
		{"metadata that nothing has", cache.Selector{Metadata: value.Must(options{"x') OR 1=1 --": "' OR 1=1"})}, all},
	} {
		b := newBench(t)
		before := strings.Fields(all)
		for _, name := range before {
			namespace, key, _ := strings.Cut(name, "/")
			req := request(options{})
			req.Namespace = namespace
			if key == "b:1" {
				req.Action = "web.search"
			}
			b.do(req, policy(t, options{"key": key}))
		}
		tt.selector.Agent = "me"
		done, err := b.Invalidate(t.Context(), tt.selector)
		var left []string
		for e, err := range b.List(t.Context(), cache.Selector{Namespace: "*"}) {
			if err != nil {
				t.Fatal(err)
			}
			left = append(left, e.Key.Namespace+"/"+e.Key.Rest)
		}
		want := strings.Fields(tt.want)
		slices.Sort(left)
		slices.Sort(want)
		if err != nil || !slices.Equal(left, want) || int(done.Count) != len(before)-len(want) || len(done.Keys) != int(done.Count) {
			t.Errorf("%s: left %v, want %v; %+v, %v", tt.name, left, want, done, err)
		}
	}
}

func TestInvalidateWithoutASelectorDeletesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fill("k", 3, "1h")
	for _, s := range []cache.Selector{{Agent: "me"}, {Namespace: "*"}, {Metadata: value.Object()}, {Key: "cache:"}} {
		if done, err := b.Invalidate(t.Context(), s); !errors.Is(err, cache.ErrSelector) || done.Count != 0 {
			t.Errorf("%+v: %+v, %v", s, done, err)
		}
	}
	if n := b.entries(); n != 3 {
		t.Errorf("%d entries are left", n)
	}
}

func TestInvalidateRunsToExhaustion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fill("a", 1500, "1m")
	b.fill("b", 3, "1h")
	b.clock.Add(time.Minute) // expired ones too
	done, err := b.Invalidate(t.Context(), cache.Selector{Agent: "me", Pattern: "a:*"})
	if err != nil || done.Count != 1500 || len(done.Keys) != cache.MaxDeletedKeys || !done.Truncated {
		t.Errorf("%d deleted, %d keys, truncated %v, %v", done.Count, len(done.Keys), done.Truncated, err)
	}
	if n := b.entries(); n != 3 {
		t.Errorf("%d entries are left", n)
	}
}

func TestClearingLeavesTheKeyForSecretsAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	req := withSecret(value.Object(value.M("t", value.Secret("api"))), map[string]string{"api": "x"})
	key := b.key(req, options{})
	if _, err := b.Invalidate(t.Context(), cache.Selector{Namespace: "*", Pattern: "*"}); err != nil {
		t.Fatal(err)
	}
	again := cache.New(b.mem, nil)
	defer again.Close()
	if e, _ := again.Explain(t.Context(), req, policy(t, options{})); e.Key != key {
		t.Error("the key for digests of secrets is gone")
	}
}

func TestListAndStats(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fill("k", 2, "1m")
	b.do(request(options{}), policy(t, options{}))
	b.clock.Add(time.Minute)
	stats, err := b.Stats(t.Context())
	if err != nil || stats.Expired != 2 || len(stats.Namespaces) != 1 {
		t.Fatalf("%+v, %v", stats, err)
	}
	me := stats.Namespaces[0]
	if me.Namespace != "me" || me.Entries != 3 || me.Bytes == 0 || fmt.Sprint(me.Actions) != "[{custom 2} {http.get 1}]" {
		t.Errorf("%+v", me)
	}
	var listed []string
	for e, err := range b.List(t.Context(), cache.Selector{Agent: "me"}) {
		listed = append(listed, fmt.Sprint(e.Key.Action, " ", e.Expired(b.clock.Now()), " ", err))
	}
	if want := []string{"custom true <nil>", "custom true <nil>", "http.get false <nil>"}; !slices.Equal(listed, want) {
		t.Errorf("%v", listed)
	}
}
