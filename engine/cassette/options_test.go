package cassette

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

func TestOptionsThatCannotBe(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]Options{
		"on_exhausted":              {OnExhausted: "loop"},
		"speed":                     {ReplaySpeed: -1},
		"speed is NaN":              {ReplaySpeed: math.NaN()},
		"Mode(9)":                   {Mode: 9},
		`did you mean "trim_space"`: {Normalize: []string{"trim_spaec"}},
		"round_floats:3":            {Normalize: []string{"round_floats:x"}},
		"drop:$.":                   {Normalize: []string{"drop:messages"}},
		"no argument":               {Normalize: []string{"lower:1"}},
	} {
		if _, err := New("c.yaml", &o); !isOnly(err, ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	if _, err := ParseMode("recrod"); !isOnly(err, ErrConfig) || !strings.Contains(err.Error(), `did you mean "record"?`) {
		t.Errorf("%v", err)
	}
	for _, name := range modeNames() {
		if m, err := ParseMode(name); err != nil || m.String() != name {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}

func TestHashingIsPrecise(t *testing.T) {
	t.Parallel()
	sums := map[string]string{}
	for _, text := range []string{`{"t":0.7,"c":"Hello world"}`, `{"t":0.7000001,"c":"Hello world"}`, `{"t":0.7,"c":"Hello   world\n"}`, `{"t":0.7,"c":"hello world"}`, `{"t":0.7,"c":"Hello world","n":null}`, `{"t":1,"c":""}`, `{"t":1.0,"c":""}`} {
		sum, err := hash(mustParse(t, text), nil)
		if other := sums[sum]; err != nil || other != "" {
			t.Errorf("%s and %s: %v", text, other, err)
		}
		sums[sum] = text
	}
	a, _ := hash(mustParse(t, `{"a":1,"b":2}`), nil)
	b, _ := hash(mustParse(t, `{ "b": 2, "a": 1 }`), nil)
	if a != b || len(a) != fullHash {
		t.Error("the order of keys counts")
	}
}

func TestNormalizersAreDeclared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ step, a, b, other string }{
		{"trim_space", `{"c":" a b\n"}`, `{"c":"a b"}`, `{"c":"a  b"}`},
		{"collapse_space", `{"c":" a \n b"}`, `{"c":"a b"}`, `{"c":"ab"}`},
		{"lower", `{"c":["Ab"]}`, `{"c":["aB"]}`, `{"c":["c"]}`},
		{"round_floats:2", `{"t":0.70001}`, `{"t":0.7}`, `{"t":0.71}`},
		{"drop:$.m.id", `{"m":{"id":1,"x":2}}`, `{"m":{"x":2}}`, `{"m":{"x":3}}`},
		{"drop:$.l.*.id", `{"l":[{"id":1},{"id":2,"x":1}]}`, `{"l":[{},{"x":1}]}`, `{"l":[{},{}]}`},
		{"drop:$.l.0", `{"l":[1,2]}`, `{"l":[9,2]}`, `{"l":[1]}`},
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		asking := func(text string) Request { return Request{Provider: "x", Key: mustParse(t, text)} }
		record(t, path, Options{Normalize: []string{c.step}}, call(asking(c.a), says("yes")))
		s := begin(t, path, Options{Mode: Replay})
		if got := served(t, s, asking(c.b)); got != "yes" {
			t.Errorf("%s: %q", c.step, got)
		}
		if _, err := s.Lookup(asking(c.other)); err == nil {
			t.Errorf("%s: %s is not %s", c.step, c.other, c.a)
		}
		if _, err := New(path, &Options{Mode: Replay, Normalize: []string{"lower", "trim_space"}}); !isOnly(err, ErrConfig) || !strings.Contains(err.Error(), c.step) {
			t.Errorf("other normalisers: %v", err)
		}
	}
}
