package chain_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

func noSecret(string) (string, error) { return "", errors.New("no such secret") }

// What is hidden resolves to what it was, and holds no secret as text.
func TestHiddenResolvesToItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfN(rapid.StringMatching(`[ab=]{4,6}`), 1, 3).Draw(t, "secrets")
		s := scrubber(secrets...)
		pieces := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(secrets), rapid.StringMatching(`[abc]{0,3}`))).Draw(t, "pieces")
		v := value.Must(map[string]any{"k": []any{strings.Join(pieces, ""), 1}})
		hidden := s.Hide(v)
		if text := hidden.String(); s.Text(text) != text {
			t.Fatalf("%s shows a secret", text)
		}
		back, err := value.Resolve(hidden, s.Texts(noSecret))
		if err != nil || !value.Equal(back, v) {
			t.Fatalf("%s became %s (%v)", v, back, err)
		}
	})
}

// A secret that is escaped in a way of its own hides the whole text around it.
func TestOddlySpelledIsHidden(t *testing.T) {
	t.Parallel()
	s := scrubber("open/sesame")
	for _, text := range []string{"say o%70en%25252Fsesame!", `now \\u006fpen/sesame`, "said open/ses…", "open/sesame, o%70en/sesame"} {
		hidden := s.Hide(value.String(text))
		if hidden.Kind() != value.KindSecret || s.Text(hidden.String()) != hidden.String() {
			t.Errorf("%q became %s", text, hidden)
		}
		if back, err := value.Resolve(hidden, s.Texts(noSecret)); err != nil || back.Text() != text {
			t.Errorf("%q became %q: %v", text, back.Text(), err)
		}
	}
}

// A run block hands on secrets as text. They have the key that the reference
// has, and are stored nowhere.
func TestSecretsAsTextAreNotStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.scrubber.Add("s3cr3t-KEY")
	in64 := base64.StdEncoding.EncodeToString([]byte("s3cr3t-KEY"))
	var keys []string
	for _, text := range []value.Value{value.Secret("KEY"), value.String("s3cr3t-KEY"), value.String("a " + in64)} {
		r, err := f.call(t, "t.echo", cached(), value.Object(value.M("text", text)))
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, r.Meta.Cache.Key)
	}
	if keys[0] != keys[1] || keys[0] == keys[2] || f.runs != 2 {
		t.Errorf("keys %q, %d runs; want the first two equal", keys, f.runs)
	}
	custom := cached()
	custom.Cache.Key = cache.KeyPolicy{Strategy: cache.ByCustom, Custom: cache.Operand{Value: value.String("for s3cr3t-KEY")}}
	if r, err := f.call(t, "t.echo", custom, map[string]any{"text": "a"}); err != nil || strings.Contains(r.Meta.Cache.Key, "s3cr3t") {
		t.Errorf("key %+v, error %v", r.Meta.Cache, err)
	}
	page, err := f.store.In(driver.Cache, "ns").Search(t.Context(), ltm.Query{AllNamespaces: true})
	if err != nil || len(page.Entries) < 3 {
		t.Fatalf("%d entries, error %v", len(page.Entries), err)
	}
	for _, e := range page.Entries {
		if text := e.Value.String() + e.Metadata.String() + e.Key; strings.Contains(text, "s3cr3t") || strings.Contains(text, in64[:10]) {
			t.Errorf("stored: %s", text)
		}
	}
}

// The name of a member cannot be a reference, so such a call has no key.
func TestSecretAsAMembersNameIsUncacheable(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.scrubber.Add("s3cr3t-KEY")
	p := cached()
	p.Cache.Key.Vary = []value.Value{value.Must(map[string]any{"s3cr3t-KEY": 1})}
	r, err := f.call(t, "t.echo", p, map[string]any{"text": "a"})
	if err != nil || r.Meta.Cache.Status != cache.Uncacheable || !strings.Contains(r.Meta.Cache.Reason, "key of an object") {
		t.Errorf("outcome %+v, error %v", r.Meta.Cache, err)
	}
}
