package llmwire_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tea-agents/tea/internal/llmwire"
)

func TestSSE(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, stream string
		want         []string // name|data|whole or half
	}{
		{"nothing", "", nil},
		{"one", "data: a\n\n", []string{"|a|whole"}},
		{"no space", "data:a\n\n", []string{"|a|whole"}},
		{"one space only is taken", "data:  a\n\n", []string{"| a|whole"}},
		{"named", "event: x\ndata: a\nid: 7\n\n", []string{"x|a|whole"}},
		{"several data lines", "data: a\ndata: b\n\n", []string{"|a\nb|whole"}},
		{"CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"|a|whole", "|b|whole"}},
		{"CR", "data: a\r\rdata: b\r\r", []string{"|a|whole", "|b|whole"}},
		{"comment", ": ping\n\n", []string{"||whole"}},
		{"byte order mark", "\ufeffdata: a\n\n", []string{"|a|whole"}},
		{"half a line", "data: a\n\ndata: b", []string{"|a|whole", "|b|half"}},
		{"no empty line", "data: a\n", []string{"|a|half"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := shown(llmwire.SSE([]byte(tc.stream))); !slices.Equal(got, tc.want) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestNDJSON(t *testing.T) {
	t.Parallel()
	got := shown(llmwire.NDJSON([]byte("{\"a\":1}\r\n\n{\"b\":")))
	if want := []string{`|{"a":1}|whole`, "||whole", `|{"b":|half`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func shown(events []llmwire.Event) []string {
	var out []string
	for _, e := range events {
		state := "half"
		if e.Whole {
			state = "whole"
		}
		out = append(out, e.Name+"|"+string(e.Data)+"|"+state)
	}
	return out
}

// The events together are the stream, byte for byte, and only the last one may
// be half.
func FuzzFrames(f *testing.F) {
	for _, s := range streams() {
		f.Add([]byte(s.body))
	}
	f.Add([]byte("data: a\r\r\n\n\r"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		for _, events := range [][]llmwire.Event{llmwire.SSE(stream), llmwire.NDJSON(stream)} {
			var joined []byte
			for i, e := range events {
				joined = append(joined, e.Raw...)
				if !e.Whole && i < len(events)-1 {
					t.Errorf("event %d of %d is half: %q", i, len(events), e.Raw)
				}
			}
			if !bytes.Equal(joined, stream) {
				t.Errorf("%q became %q", stream, joined)
			}
		}
	})
}
