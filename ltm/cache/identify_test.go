package cache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// key returns the key that a call gets.
func (b *bench) key(req cache.Request, o options) string {
	b.t.Helper()
	e, err := b.Explain(b.t.Context(), req, policy(b.t, o))
	if err != nil {
		b.t.Fatal(err)
	}
	if e.Key == "" {
		b.t.Fatalf("no key: %s", e.Reason)
	}
	return e.Key
}

func TestKeysByArguments(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	base := request(options{"a": 1, "b": 2})
	key := b.key(base, options{})
	if !strings.HasPrefix(key, "cache:me:http.get:") || len(key) != len("cache:me:http.get:")+64 {
		t.Errorf("key %q", key)
	}
	newer := base
	newer.Version = 2
	for name, other := range map[string]string{
		"an argument":     b.key(request(options{"a": 1, "b": 3}), options{}),
		"an int as float": b.key(request(options{"a": 1, "b": 2.0}), options{}),
		"fewer arguments": b.key(base, options{"key_args": []any{"a"}}),
		"no argument":     b.key(base, options{"key_args": "none"}),
		"action version":  b.key(newer, options{}),
		"version":         b.key(base, options{"version": "2"}),
		"vary":            b.key(base, options{"vary": []any{"x"}}),
		"namespace":       b.key(base, options{"namespace": "x"}),
		"no namespace":    b.key(base, options{"key_prefix": false}),
	} {
		if other == key {
			t.Errorf("%s does not take part", name)
		}
	}
	same := b.key(request(options{"a": 1, "b": 3}), options{"ignore_args": []any{"b"}})
	if same != b.key(base, options{"key_args": []any{"a"}}) || same != b.key(base, options{"ignore_args": []any{"b"}}) {
		t.Error("ignore_args and key_args disagree")
	}
	if b.key(base, options{"key_args": "none"}) != b.key(request(options{"a": 9}), options{"key_args": "none"}) {
		t.Error("key_args: none takes arguments")
	}
}

func TestKeysDoNotDependOnTheOrderOfArguments(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rapid.Check(t, func(r *rapid.T) {
		args := rapid.MapOf(rapid.String(), rapid.Int()).Draw(r, "args")
		forth, back := value.Object(), value.Object()
		for k, v := range args {
			forth, back = forth.With(k, value.Int(int64(v))), value.Object(value.M(k, value.Int(int64(v)))).Merge(back)
		}
		one, other := request(options{}), request(options{})
		one.Args, other.Args = forth, back
		if b.key(one, options{}) != b.key(other, options{}) {
			r.Fatal("keys differ")
		}
	})
}

func TestKeysByValue(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	req := request(options{"text": "x", "lang": "es"})
	byArg := options{"key_strategy": "sha256", "key_source": "text"}
	alone := options{"key_strategy": "sha256", "key_source": "text", "key_args": "none"}
	byValue := options{"key_strategy": "sha256", "key_source": "v1", "key_source_is": "value"}
	if b.key(req, byArg) == b.key(request(options{"text": "x", "lang": "fr"}), byArg) {
		t.Error("the other arguments take no part")
	}
	if b.key(req, alone) != b.key(request(options{"text": "x", "lang": "fr"}), alone) {
		t.Error("with key_args: none the other arguments take part")
	}
	if b.key(req, alone) == b.key(request(options{"text": "y", "lang": "es"}), alone) {
		t.Error("the value takes no part")
	}
	if b.key(req, byValue) == b.key(req, options{"key_strategy": "sha256", "key_source": "v2", "key_source_is": "value"}) {
		t.Error("the given value takes no part")
	}
	if b.key(req, byValue) == b.key(request(options{"text": "y", "lang": "es"}), byValue) {
		t.Error("beside a value the arguments take no part")
	}
}

func TestCustomKeys(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, tt := range []struct {
		key  any
		want string
	}{
		{"search:x", "cache:me:custom:search%3Ax"},
		{"cache:search:x", "cache:me:custom:search%3Ax"},
		{"cache:me:custom:search%3Ax", "cache:me:custom:search%3Ax"},
		{"cache:other:custom:x", "cache:me:custom:other%3Acustom%3Ax"},
		{7, "cache:me:custom:7"},
		{true, "cache:me:custom:true"},
	} {
		if got := b.key(request(options{"a": 1}), options{"key": tt.key}); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.key, got, tt.want)
		}
	}
}

func TestUncacheable(t *testing.T) {
	t.Parallel()
	bad := request(options{})
	bad.Args = value.Object(value.M("x", value.String("\xff")))
	plain := request(options{"text": "", "nothing": nil, "file": "/f"})
	nowhere := plain
	nowhere.Namespace = "*"
	missing := plain
	missing.HashFile = func(context.Context, string) (cache.FileHash, error) {
		return cache.FileHash{}, errors.New("no such file")
	}
	secret := plain
	secret.Args = value.Object(value.M("token", value.Secret("t")))
	for _, tt := range []struct {
		req     cache.Request
		options options
		reason  string
	}{
		{plain, options{"key_strategy": "custom"}, "key: it is null; a missing value never becomes a key"},
		{plain, options{"key": nil}, "key: it is null; a missing value never becomes a key"},
		{plain, options{"key_strategy": "sha256", "key_source": nil}, "key_source: it is null; a missing value never becomes a key"},
		{missing, options{"key_strategy": "file_content", "key_source": nil}, "key_source: it is null"},
		{plain, options{"key": ""}, "key: it is empty; a missing value never becomes a key"},
		{plain, options{"key": " \n"}, "key: it is empty"},
		{plain, options{"key": "cache:"}, "key: it is empty"},
		{plain, options{"key": []any{1}}, "key: want text, have list"},
		{plain, options{"key": strings.Repeat("x", 5000)}, "key: it has 5000 bytes"},
		{nowhere, options{}, `namespace: "*" is no namespace to store in`},
		{plain, options{"key": "\xff"}, "the key is not valid UTF-8"},
		{plain, options{"key_strategy": "sha256", "key_source": "txet"}, `key_source: the call has no argument "txet"`},
		{plain, options{"key_strategy": "sha256", "key_source": "nothing"}, "key_source: it is empty"},
		{plain, options{"key_strategy": "sha256", "key_source": "text"}, "key_source: it is empty"},
		{plain, options{"key_strategy": "file_content"}, "there is no storage"},
		{missing, options{"key_strategy": "file_content"}, `argument "file": no such file`},
		{missing, options{"key_strategy": "file_content", "key_source": "nothing"}, `argument "nothing": want the path of a file, have null`},
		{missing, options{"key_strategy": "file_content", "key_source": "flie"}, "key_source: the call has no argument"},
		{bad, options{}, "no key: args.x: text is not valid UTF-8"},
		{secret, options{}, "the call holds a secret that nobody resolves"},
	} {
		b := newBench(t)
		o := b.want(cache.Uncacheable, tt.reason, tt.req, policy(t, tt.options))
		if o.Key != "" || b.runs.Load() != 1 || b.store.Puts.Load() != 0 {
			t.Errorf("%v: %+v, %d runs, %d stored", tt.options, o, b.runs.Load(), b.store.Puts.Load())
		}
		require := policy(t, tt.options)
		require.Mode = cache.Require
		if _, _, err := b.Do(t.Context(), tt.req, require, b.answer); !errors.Is(err, cache.ErrMiss) {
			t.Errorf("%v: require gave %v", tt.options, err)
		}
	}
}

func TestAKeyThatCouldNotBeRendered(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := policy(t, options{"key": "x"})
	p.Key.Custom = cache.Operand{Err: errors.New("state.q is missing")}
	b.want(cache.Uncacheable, "key: state.q is missing", request(options{}), p)
	p = policy(t, options{"key_strategy": "sha256", "key_source": "x"})
	p.Key.Source = cache.Operand{Err: errors.New("state.q is missing")}
	b.want(cache.Uncacheable, "key_source: state.q is missing", request(options{}), p)
}

// files is a storage of one file.
type files struct{ content, stamp string }

func (f *files) request(args options) cache.Request {
	req := request(args)
	req.HashFile = func(context.Context, string) (cache.FileHash, error) {
		return cache.FileHash{Hash: fmt.Sprintf("%064x", f.content), Size: int64(len(f.content)), Stamp: f.stamp}, nil
	}
	req.StatFile = func(context.Context, string) (string, error) { return f.stamp, nil }
	return req
}

func TestKeysByFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f := &files{content: "one", stamp: "1"}
	o := options{"key_strategy": "file_content"}
	key := b.key(f.request(options{"file": "/a", "mode": "x"}), o)
	if key != b.key(f.request(options{"file": "s3://b/c", "mode": "x"}), o) {
		t.Error("the path takes part")
	}
	if key == b.key(f.request(options{"file": "/a", "mode": "y"}), o) {
		t.Error("the other arguments take no part")
	}
	alone := options{"key_strategy": "file_content", "key_args": "none"}
	if got, want := b.key(f.request(options{"file": "/a", "mode": "y"}), alone), "cache:me:http.get:"+fmt.Sprintf("%064x", "one"); got != want {
		t.Errorf("with key_args: none the key is %q, want %q", got, want)
	}
	f.content = "two"
	if key == b.key(f.request(options{"file": "/a", "mode": "x"}), o) {
		t.Error("the content takes no part")
	}
}

func TestAFileThatChangedMeanwhileIsNotStored(t *testing.T) {
	t.Parallel()
	for _, stat := range []bool{true, false} {
		b := newBench(t)
		f := &files{content: "one", stamp: "1"}
		req := f.request(options{"file": "/a"})
		if !stat {
			req.StatFile = nil
		}
		p := policy(t, options{"key_strategy": "file_content"})
		_, o, err := b.Do(t.Context(), req, p, func(ctx context.Context) (value.Value, error) {
			f.content, f.stamp = "two", "2"
			return b.answer(ctx)
		})
		if err != nil || !strings.HasPrefix(o.Reason, "file_changed: /a changed") || b.store.Puts.Load() != 0 {
			t.Errorf("%+v %v", o, err)
		}
		b.want(cache.Miss, "not_found", req, p)
		b.want(cache.Hit, "", req, p)
	}
}

func withSecret(args value.Value, texts map[string]string) cache.Request {
	req := request(options{})
	req.Args = args
	req.Secret = func(name string) (string, error) { return texts[name], nil }
	return req
}

func TestSecretsTakePartByAKeyedDigestOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	bearer, _ := value.Concat(value.String("Bearer "), value.Secret("api"))
	args := value.Object(value.M("h", bearer), value.M("n", value.Int(1)))
	req := withSecret(args, map[string]string{"api": "hunter2"})
	p := policy(t, options{})
	miss := b.want(cache.Miss, "not_found", req, p)
	b.want(cache.Hit, "", req, p)
	b.want(cache.Miss, "not_found", withSecret(args, map[string]string{"api": "other"}), p)

	found, err := b.Get(t.Context(), "me", miss.Key)
	if err != nil || !found.Found {
		t.Fatal(found, err)
	}
	stored := found.Entry.Metadata.String()
	if strings.Contains(stored, "hunter2") || !strings.Contains(stored, "Bearer "+value.Mask) {
		t.Errorf("the metadata says %s", stored)
	}

	// Another process on the same store makes the same key, one on another
	// store does not.
	again := cache.New(b.mem, nil)
	defer again.Close()
	if e, _ := again.Explain(t.Context(), req, p); e.Key != miss.Key {
		t.Errorf("another process makes the key %s, not %s", e.Key, miss.Key)
	}
	elsewhere := newBench(t, func(o *cache.Options) { o.Entropy = strings.NewReader(strings.Repeat("x", 64)) })
	if elsewhere.key(req, options{}) == miss.Key {
		t.Error("the digest does not depend on the store's key")
	}
}

func TestADamagedKeyForSecretsIsReplaced(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	req := withSecret(value.Object(value.M("t", value.Secret("api"))), map[string]string{"api": "x"})
	key := b.key(req, options{})
	b.store.Corrupt.Store(true)
	other := cache.New(b.mem, nil)
	defer other.Close()
	other.Explain(t.Context(), req, policy(t, options{}))
	b.store.Corrupt.Store(false)
	again := cache.New(b.mem, nil)
	defer again.Close()
	if e, err := again.Explain(t.Context(), req, policy(t, options{})); err != nil || e.Status != cache.Miss || e.Key == key {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestATextCannotPassForASecret(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	secret := withSecret(value.Object(value.M("t", value.Secret("api"))), map[string]string{"api": "hunter2"})
	e, err := b.Explain(t.Context(), secret, policy(t, options{"key": value.Secret("api")}))
	if err != nil || strings.Contains(e.Key, "hunter2") || !strings.Contains(e.Key, "hmac-sha256") {
		t.Fatalf("a key of a secret: %s, %v", e.Key, err)
	}
	_, digest, _ := strings.Cut(e.Key, "custom:")
	text := request(options{"t": strings.ReplaceAll(digest, "%3A", ":")})
	if b.key(text, options{}) == b.key(secret, options{}) {
		t.Error("a text with a secret's digest has the secret's key")
	}
}

func TestPreviewsAreShortAndRedacted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e, err := b.Explain(t.Context(), request(options{
		"long":    strings.Repeat("é", 500),
		"api_key": "sk-1",
		"headers": options{"Authorization": "Bearer x", "Accept": "text"},
		"n":       options{"max_tokens": 5},
	}), policy(t, options{}))
	if err != nil {
		t.Fatal(err)
	}
	previews := map[string]string{}
	for _, c := range e.Material {
		previews[c.Name] = c.Preview
		if n := len([]rune(c.Preview)); n > 80 || len(c.Digest) != 32 {
			t.Errorf("%s: %d characters, digest %q", c.Name, n, c.Digest)
		}
	}
	for name, want := range map[string]string{
		"args.api_key": `"***"`,
		"args.headers": `{"Accept":"text","Authorization":"***"}`,
		"args.n":       `{"max_tokens":5}`,
		"action":       `"http.get"`,
	} {
		if previews[name] != want {
			t.Errorf("%s: %s, want %s", name, previews[name], want)
		}
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := policy(t, options{})
	b.do(request(options{"q": "far", "lang": "fr", "n": 1}), p)
	b.do(request(options{"q": "near", "lang": "es", "n": 1}), p)
	e, err := b.Explain(t.Context(), request(options{"q": "near", "lang": "en", "n": 1}), p)
	if err != nil || e.Status != cache.Miss || e.Closest == nil {
		t.Fatalf("%+v, %v", e, err)
	}
	if want := (cache.Change{Name: "args.lang", Was: `"es"`, Is: `"en"`}); len(e.Changed) != 1 || e.Changed[0] != want {
		t.Errorf("changed: %+v", e.Changed)
	}
	e, _ = b.Explain(t.Context(), request(options{"q": "near", "lang": "es"}), p)
	if want := (cache.Change{Name: "args.n", Was: "1"}); len(e.Changed) != 1 || e.Changed[0] != want {
		t.Errorf("changed: %+v", e.Changed)
	}
	if e, _ := b.Explain(t.Context(), request(options{"q": "near", "lang": "es", "n": 1}), p); e.Status != cache.Hit || e.Closest != nil {
		t.Errorf("a hit: %+v", e)
	}
	other := request(options{"q": "near"})
	other.Action = "web.search"
	if e, _ := b.Explain(t.Context(), other, p); e.Closest != nil {
		t.Errorf("an entry of another action is close: %+v", e.Closest)
	}
	if b.runs.Load() != 2 {
		t.Error("Explain ran something")
	}
}
