package tree

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/value"
)

// texts are strings of every sort that has ever troubled a YAML reader.
func texts() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[ \t\na-c:#|>\-]{0,30}`),
		rapid.StringOfN(rapid.SampledFrom([]rune("a \n\t\r\x00\x1f\x7f\u0085\u00a0\u2028\u2029\ufeff\ufffe\uffff😀\"\\':#-|>%@`{}[]&*!?,")), 0, 40, -1),
		rapid.SampledFrom([]string{"", " ", "\n", "\n\n", "true", "No", "null", "~", "1", "1e3", "0x1f", ".inf", "<<", "=", "- a", "a: b", "a #b", "...", "---", "---\na", "a\n...\nb", " a\nb", "\n a\nb\n", "a\nb\n\n", "a\n \n", "\ta\nb", "2026-01-01", "0o7", "1_000", "a\n\n", "\n\na\nb", "https://x.y/z?a=b"}),
	)
}

func values() *rapid.Generator[value.Value] {
	leaf := rapid.OneOf(
		rapid.Just(value.Null()),
		rapid.Map(rapid.Bool(), value.Bool),
		rapid.Map(rapid.Int64(), value.Int),
		rapid.Map(rapid.StringMatching(`-?[1-9][0-9]{0,60}`), func(s string) value.Value {
			i, _ := new(big.Int).SetString(s, 10)
			return value.BigInt(i)
		}),
		rapid.Map(rapid.Float64(), value.Float),
		rapid.SampledFrom([]value.Value{value.Float(math.Copysign(0, -1)), value.Float(1), value.Float(math.MaxFloat64), value.Float(5e-324)}),
		rapid.Map(texts(), value.String),
	)
	return deep(leaf, 4)
}

func deep(leaf *rapid.Generator[value.Value], depth int) *rapid.Generator[value.Value] {
	if depth == 0 {
		return leaf
	}
	below := deep(leaf, depth-1)
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(below, 0, 4), func(items []value.Value) value.Value { return value.List(items...) }),
		rapid.Map(rapid.MapOfN(texts(), below, 0, 4), value.Map))
}

func TestYAMLKeepsEveryValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := values().Draw(t, "value")
		text := AppendYAML(nil, Value(v))
		back, err := ParseYAML(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !value.Equal(v, back) {
			t.Fatalf("wrote %s\nread  %s\n%s", v, back, text)
		}
	})
}

func TestJSONKeepsEveryValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := values().Draw(t, "value")
		back, err := value.Parse(AppendJSON(nil, Value(v), 0))
		if err != nil || !value.Equal(v, back) {
			t.Fatalf("wrote %s, read %s, %v", v, back, err)
		}
	})
}

func TestYAMLKeepsLongKeysAndDepth(t *testing.T) {
	t.Parallel()
	deep := value.Int(1)
	for range 200 {
		deep = value.Object(value.M(strings.Repeat("k", 3), value.List(deep)))
	}
	v := value.Object(value.M(strings.Repeat("long ", 1000), value.Object(value.M("a", value.Int(1)))), value.M("deep", deep),
		value.M("list", value.List(value.Object(value.M(strings.Repeat("x", 2000), value.String("a\nb"))))))
	back, err := ParseYAML(AppendYAML(nil, Value(v)))
	if err != nil || !value.Equal(v, back) {
		t.Fatalf("not what was written: %v", err)
	}
}

func TestYAMLIsMadeForReading(t *testing.T) {
	t.Parallel()
	doc := Object(
		F("zebra", String("first")),
		F("prompt", String("system: be brief\nuser: hi\n")),
		F("list", List(Object(F("name", String("a")), F("size", Value(value.Int(1)))), String("1"), List(String("x")))),
		F("empty", Value(value.Object())),
	)
	want := `zebra: first
prompt: |
  system: be brief
  user: hi
list:
  - name: a
    size: 1
  - "1"
  -
    - x
empty: {}
`
	if got := string(AppendYAML(nil, doc)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestParseYAMLRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a: &x 1\nb: *x\n":   "alias",
		"a: 1\na: 2\n":       "twice",
		"a: !!python/x 1\n":  "tag",
		"a: .inf\n":          "not a number",
		"a: 0x10\n":          "not a number",
		"a: 1\n---\nb: 2\n":  "more than one",
		"<<: {a: 1}\nb: 2\n": "a key is text",
		"a: [1\n":            "line",
		"? [a]\n: 1\n":       "a key is text",
	} {
		if _, err := ParseYAML([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", text, err, want)
		}
	}
}
