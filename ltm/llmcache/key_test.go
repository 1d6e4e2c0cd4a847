package llmcache_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/value"
)

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func key(t *testing.T, text string) string {
	t.Helper()
	k, err := llmcache.Key(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

const request = `{"provider": "openai", "model": "gpt-4o", "temperature": 0.7, "seed": 1,
	"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
	"tools": [{"name": "f", "parameters": {"type": "object"}}]}`

func TestSameRequestSameKey(t *testing.T) {
	t.Parallel()
	want := key(t, request)
	for name, same := range map[string]string{
		"itself": request,
		"order of keys": `{"tools": [{"parameters": {"type": "object"}, "name": "f"}],
			"messages": [{"content": "Be brief.", "role": "system"}, {"content": "Hi", "role": "user"}],
			"seed": 1, "temperature": 0.7, "model": "gpt-4o", "provider": "openai"}`,
		"spelling of numbers and strings": strings.NewReplacer("0.7", "7e-1", "Hi", `H\u0069`).Replace(request),
	} {
		if got := key(t, same); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	sum := sha256.Sum256([]byte(parse(t, request).String()))
	if want != hex.EncodeToString(sum[:]) {
		t.Errorf("%s is not the SHA-256 of the canonical JSON", want)
	}
}

func TestAnotherRequestAnotherKey(t *testing.T) {
	t.Parallel()
	seen := map[string]string{key(t, request): "the request"}
	for name, change := range map[string][2]string{
		"model":        {"gpt-4o", "gpt-4o-mini"},
		"provider":     {"openai", "azure"},
		"temperature":  {"0.7", "0.70000000000000007"},
		"seed":         {`"seed": 1`, `"seed": 9007199254740993`},
		"near seed":    {`"seed": 1`, `"seed": 9007199254740992`},
		"float seed":   {`"seed": 1`, `"seed": 1.0`},
		"no seed":      {`"seed": 1,`, ``},
		"system":       {"Be brief.", "Be brief. "},
		"message":      {`"Hi"`, `"hi"`},
		"role":         {`"role": "user"`, `"role": "assistant"`},
		"tool":         {`"name": "f"`, `"name": "g"`},
		"schema":       {`"type": "object"`, `"type": "object", "required": []`},
		"new param":    {`"seed": 1`, `"seed": 1, "reasoning": "high"`},
		"sample":       {`"seed": 1`, `"seed": 1, "sample": 2`},
		"other sample": {`"seed": 1`, `"seed": 1, "sample": 3`},
	} {
		changed := strings.Replace(request, change[0], change[1], 1)
		k := key(t, changed)
		if other, ok := seen[k]; ok {
			t.Errorf("%s and %s have one key", name, other)
		}
		seen[k] = name
	}
}

func TestEqualKeysMeanEqualRequests(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := identity(t, "a"), identity(t, "b")
		ka, err := llmcache.Key(a)
		if err != nil {
			t.Fatal(err)
		}
		kb, err := llmcache.Key(b)
		if err != nil {
			t.Fatal(err)
		}
		if (ka == kb) != value.Equal(a, b) {
			t.Fatalf("%s and %s: keys %s and %s", a, b, ka, kb)
		}
	})
}

// identity draws a request out of few, so that equal ones happen.
func identity(t *rapid.T, label string) value.Value {
	number := rapid.SampledFrom([]value.Value{value.Int(1), value.Float(1), value.Int(math.MaxInt64), value.Null()})
	return value.Object(
		value.M("model", value.String(rapid.SampledFrom([]string{"m", "n"}).Draw(t, label+".model"))),
		value.M("temperature", number.Draw(t, label+".temperature")),
		value.M("messages", value.List(rapid.SliceOfN(rapid.Map(rapid.SampledFrom([]string{"", "x", "\x00"}), value.String), 0, 2).Draw(t, label+".messages")...)),
	)
}

func TestNoCanonicalFormNoKey(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]value.Value{
		"temperature": value.Float(math.NaN()), "top_p": value.Float(math.Inf(1)),
		"prompt": value.String("\xff"), "api_key": value.Secret("KEY"),
	} {
		identity := value.Object(value.M(name, v))
		var reason *value.NotJSONError
		if k, err := llmcache.Key(identity); k != "" || !errors.As(err, &reason) {
			t.Errorf("%s: %q %v", name, k, err)
		}
		b := newBench(t)
		for range 2 {
			o := b.want(cache.Uncacheable, llmcache.Request{Identity: identity}, llmcache.Both)
			if o.Key != "" || o.Reason == "" || o.Stored {
				t.Errorf("%s: %+v", name, o)
			}
		}
		if b.calls.Load() != 2 || len(b.keys()) != 0 {
			t.Errorf("%s: %d calls", name, b.calls.Load())
		}
	}
}

// secretly is a request with a secret that has the given text.
func secretly(text string) llmcache.Request {
	bearer, _ := value.Concat(value.String("Bearer "), value.Secret("TOKEN"))
	req := chat(options{"prompt": "hi", "extra": []any{bearer, options{"deep": value.Secret("TOKEN")}}})
	req.Secret = func(string) (string, error) { return text, nil }
	return req
}

func TestSecretsTakePartAndAreNotShown(t *testing.T) {
	t.Parallel()
	const canary = "canary-5f3a"
	for name, b := range stores(t) {
		o := b.want(cache.Miss, secretly(canary), llmcache.Both)
		b.want(cache.Hit, secretly(canary), llmcache.Both)
		b.want(cache.Miss, secretly("another"), llmcache.Both)
		e := b.inspect(o.Key)
		if got, want := e.Request.String(), `{"extra":["Bearer ***",{"deep":"***"}],"prompt":"hi"}`; got != want {
			t.Errorf("%s: the stored request is %s, want %s", name, got, want)
		}
		plain := chat(options{"prompt": "hi", "extra": []any{"Bearer ***", options{"deep": "***"}}})
		if k, err := b.Key(t.Context(), plain); err != nil || k == o.Key {
			t.Errorf("%s: the masked text passes for the secret: %v", name, err)
		}
		if sum, _ := llmcache.Key(value.Must(options{"prompt": "hi", "extra": []any{"Bearer " + canary, options{"deep": canary}}})); sum == o.Key {
			t.Errorf("%s: anybody could make the key and guess the secret", name)
		}
	}
}

func TestKeyOfSecretsOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/llm.db"
	first := onFile(t, file).want(cache.Miss, secretly("s"), llmcache.Both)
	if second := onFile(t, file).want(cache.Hit, secretly("s"), llmcache.Both); second.Key != first.Key {
		t.Errorf("%s, then %s", first.Key, second.Key)
	}
}

func TestSecretThatNobodyKnows(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	req := secretly("")
	req.Secret = nil
	b.want(cache.Uncacheable, req, llmcache.Both)
	req.Secret = func(string) (string, error) { return "", errBroken }
	if o := b.want(cache.Uncacheable, req, llmcache.Both); !strings.Contains(o.Reason, errBroken.Error()) {
		t.Errorf("reason %q", o.Reason)
	}
}

func TestKeysAreChecked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, wrong := range []string{"", "cache::custom:x", "*", strings.Repeat("a", 63), strings.Repeat("A", 64), strings.Repeat("g", 64)} {
		_, get := b.Get(t.Context(), wrong)
		_, inspect := b.Inspect(t.Context(), wrong)
		_, del := b.Delete(t.Context(), wrong)
		for _, err := range []error{get, inspect, del, b.Put(t.Context(), wrong, llmcache.Entry{}), b.Pin(t.Context(), wrong, true)} {
			if !errors.Is(err, llmcache.ErrKey) {
				t.Errorf("%q: %v", wrong, err)
			}
		}
	}
}
