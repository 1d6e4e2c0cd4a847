package chain_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/chain"
	"github.com/tea-agents/tea/value"
)

// stream runs chunks through the scrubber, and returns what comes out.
func stream(s *chain.Scrubber, raw string, in ...value.Value) (out []value.Value, r actions.Result) {
	handler := chain.Scrub(s)(func(_ context.Context, c *actions.Call) (actions.Result, error) {
		for _, data := range in {
			c.Sink(actions.Chunk{Data: data})
		}
		return actions.Result{Output: value.String("done"), Meta: actions.Meta{Raw: []byte(raw)}}, nil
	})
	r, err := handler(context.Background(), &actions.Call{Sink: func(c actions.Chunk) { out = append(out, c.Data) }})
	if err != nil {
		panic(err)
	}
	return out, r
}

func texts(pieces ...string) []value.Value {
	chunks := make([]value.Value, len(pieces))
	for i, p := range pieces {
		chunks[i] = value.Object(value.M("text", value.String(p)))
	}
	return chunks
}

func TestStreamsAreScrubbedAcrossChunks(t *testing.T) {
	t.Parallel()
	s := scrubber("hunter2", "hunter2-longer", "abcab")
	for name, c := range map[string]struct{ in, want []string }{
		"nothing to hide":         {[]string{"one ", "2 ", ""}, []string{"one ", "2 ", ""}},
		"whole in a chunk":        {[]string{"x hunter2. y"}, []string{"x ***. y"}},
		"cut in two":              {[]string{"x hun", "ter2. y"}, []string{"x ", "***. y"}},
		"cut into bytes":          {strings.Split("ahunter2b", ""), []string{"a", "***b"}},
		"the longer one wins":     {[]string{"hunter2", "-longer!"}, []string{"***!"}},
		"the shorter one after":   {[]string{"hunter2", "-long", "est"}, []string{"***-longest"}},
		"a beginning, no secret":  {[]string{"hun", "gry"}, []string{"hungry"}},
		"held until the end":      {[]string{"a hunt"}, []string{"a ", "hunt"}},
		"the end is a secret":     {[]string{"a hunter2"}, []string{"a ", "***"}},
		"overlaps with itself":    {[]string{"abca", "b"}, []string{"***"}},
		"a secret's own ending":   {[]string{"abcab", "c"}, []string{"***", "c"}},
		"held text is not reused": {[]string{"hun", "x", "ter2"}, []string{"hunx", "ter2"}},
	} {
		out, _ := stream(s, "", texts(c.in...)...)
		if got, want := value.List(out...), value.List(texts(c.want...)...); !value.Equal(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestEachTextOfAStreamIsHeldApart(t *testing.T) {
	t.Parallel()
	tool := func(index int64, id, arguments string) value.Value {
		call := value.Object(value.M("index", value.Int(index)), value.M("arguments", value.String(arguments)))
		if id != "" {
			call = call.With("id", value.String(id))
		}
		return value.Object(value.M("tool_call", call))
	}
	in := []value.Value{texts("say hun")[0], tool(0, "c0", `hunt`), tool(1, "", `hunt`), texts("ter2")[0], tool(0, "", `er2`), value.Object(value.M("other", value.String("hunter2")))}
	want := []value.Value{
		texts("say ")[0], tool(0, "c0", ""), texts("***")[0], tool(0, "", "***"),
		value.Object(value.M("other", value.String("***"))), tool(1, "", "hunt"),
	}
	if out, _ := stream(scrubber("hunter2"), "", in...); !value.Equal(value.List(out...), value.List(want...)) {
		t.Errorf("got %s\nwant %s", value.List(out...), value.List(want...))
	}
}

func TestRawFitsTheResultOrIsGone(t *testing.T) {
	t.Parallel()
	s := scrubber("hunter2")
	if _, r := stream(s, "clean", texts("a", "b")...); string(r.Meta.Raw) != "clean" {
		t.Errorf("raw is %q", r.Meta.Raw)
	}
	if _, r := stream(s, "with hunter2", texts("a")...); string(r.Meta.Raw) != "with ***" {
		t.Errorf("raw is %q", r.Meta.Raw)
	}
	if _, r := stream(s, "hun|ter2", texts("hun", "ter2")...); r.Meta.Raw != nil {
		t.Errorf("raw is %q", r.Meta.Raw)
	}
}

// However a text is cut, it comes out as if it had come in one piece, and what
// has no secret comes out in the pieces in which it came or later ones.
func TestStreamsEqualWholeTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfN(rapid.StringMatching(`[ab"/]{4,9}`), 1, 3).Draw(t, "secrets")
		s := scrubber(secrets...)
		var pieces []string
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			if rapid.Bool().Draw(t, "secret") {
				secret := rapid.SampledFrom(secrets).Draw(t, "which")
				at := rapid.IntRange(0, len(secret)).Draw(t, "at")
				pieces = append(pieces, secret[:at], secret[at:])
			} else {
				pieces = append(pieces, rapid.StringMatching(`[ab"/ é]{0,5}`).Draw(t, "text"))
			}
		}
		whole := strings.Join(pieces, "")
		out, _ := stream(s, "", texts(pieces...)...)
		var joined strings.Builder
		for _, data := range out {
			joined.WriteString(data.At("text").Text())
		}
		if want := s.Text(whole); joined.String() != want {
			t.Fatalf("%q in pieces became %q, in one %q", whole, joined.String(), want)
		}
		if s.Text(whole) == whole && len(out) > len(pieces)+1 {
			t.Fatalf("%q became %d chunks of %d", slices.Clip(pieces), len(out), len(pieces))
		}
	})
}
