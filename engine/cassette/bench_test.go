package cassette

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/value"
)

// large is a cassette of n calls as real ones are: some 3 KB each.
func large(n int) []*Call {
	prompt := strings.Repeat("Summarise the following paragraph in one sentence.\n", 15)
	calls := make([]*Call, n)
	for i := range calls {
		c := &Call{Request: ask(fmt.Sprint(prompt, i)), Response: says(strings.Repeat("An answer of a few words. ", 20))}
		c.ID = fmt.Sprintf("summarise#%d", i)
		c.Usage = value.Must(map[string]any{"prompt_tokens": 210, "completion_tokens": 80, "total_tokens": 290})
		c.Hash, _ = hash(c.Key, nil)
		calls[i] = c
	}
	return calls
}

func BenchmarkOpen3000(b *testing.B) {
	calls := large(3000)
	dir := b.TempDir()
	for name, path := range map[string]string{"yaml": "c.yaml", "json": "c.json", "dir": "c"} {
		path = filepath.Join(dir, path)
		if err := storeFor(path).replace(Header{Format: Format}, calls, false); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s, err := New(path, &Options{Mode: Replay})
				if err != nil || len(s.recorded) != 3000 {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkServe(b *testing.B) {
	path := filepath.Join(b.TempDir(), "c.yaml")
	calls := large(100)
	if err := storeFor(path).replace(Header{Format: Format}, calls, false); err != nil {
		b.Fatal(err)
	}
	s, err := New(path, &Options{Mode: Replay, OnExhausted: "last"})
	if err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		if _, err := s.Lookup(calls[i%100].Request); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
