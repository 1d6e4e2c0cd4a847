package cache_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

func TestSpacesAndTypes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	other := cache.New(b.mem, &cache.Options{Space: driver.LLM, Type: cache.TypeLLMResponse, Known: known})
	defer other.Close()
	p := policy(t, options{"key": "k"})
	b.do(request(options{}), p)
	_, o, err := other.Do(t.Context(), request(options{}), p, b.answer)
	if err != nil || o.Status != cache.Miss {
		t.Errorf("an entry of another space was found: %+v %v", o, err)
	}
	for want, c := range map[string]*cache.Cache{"action_result": b.Cache, "llm_response": other} {
		found, err := c.Get(t.Context(), "me", "k")
		if err != nil || found.Entry.Metadata.At(cache.MetaType).Text() != want {
			t.Errorf("%+v %v, want the type %s", found, err, want)
		}
	}
}

func TestHeadsAreTheEntriesUnread(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		b.fill("k", 3, "1h")
		count := func(s cache.Selector) (n int) {
			for h, err := range b.Heads(t.Context(), s) {
				if err != nil || h.Bytes <= 0 || !h.StoredAt.Equal(b.clock.Now()) || h.Key.Namespace != "me" {
					t.Errorf("%s: %+v %v", name, h, err)
				}
				n++
			}
			return n
		}
		all, one, none := count(cache.Selector{Agent: "me"}), count(cache.Selector{Agent: "me", Pattern: "k:1"}), count(cache.Selector{Agent: "you"})
		if all != 3 || one != 1 || none != 0 {
			t.Errorf("%s: %d of all, %d of one, %d of none", name, all, one, none)
		}
	}
}

func TestOutcomeTellsWhatWasStored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i, tt := range []struct {
		options options
		want    bool
	}{
		{options{}, true}, {options{}, false}, {options{"skip_cache": true}, true},
		{options{"mode": "read", "key": "other"}, false}, {options{"ttl": "0s", "key": "another"}, false},
	} {
		if _, o := b.do(request(options{}), policy(t, tt.options)); o.Stored != tt.want {
			t.Errorf("%d: %+v", i, o)
		}
	}
}

func TestHide(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	secret := func(string) (string, error) { return "canary", nil }
	plain := value.Must(options{"a": "b"})
	hidden, places, err := b.Hide(t.Context(), secret, plain)
	if err != nil || !value.Equal(hidden, plain) || places.Len() != 0 {
		t.Errorf("%v %v %v", hidden, places, err)
	}
	v := value.Object(value.M("a", value.List(value.Secret("S"))), value.M("b", value.Int(1)))
	hidden, places, err = b.Hide(t.Context(), secret, v)
	if err != nil || places.String() != `["identity.\"a\"[0]"]` || strings.Contains(hidden.String(), "canary") || len(value.SecretNames(hidden)) != 0 {
		t.Errorf("%v %v %v", hidden, places, err)
	}
	wrong := errors.New("no such secret")
	if _, _, err := b.Hide(t.Context(), func(string) (string, error) { return "", wrong }, v); !errors.Is(err, wrong) {
		t.Errorf("%v", err)
	}
	if _, _, err := b.Hide(t.Context(), nil, v); err == nil {
		t.Error("a secret that nobody resolves is hidden")
	}
}
