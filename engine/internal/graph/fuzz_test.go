package graph_test

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/tea-agents/tea/internal/diag"
)

// Whatever the file holds, loading ends, says where things are wrong in places
// that exist, and says the same again.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/load/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	o := options(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		g, diags := load("a.yaml", src, o)
		if g == nil && !diags.HasErrors() {
			t.Error("neither a graph nor a reason")
		}
		lines := 1
		for _, c := range src {
			if c == '\n' {
				lines++
			}
		}
		for _, d := range diags {
			if d.Line < 0 || d.Col < 0 || d.Line > lines+1 || d.Message == "" || !utf8.ValidString(d.Message) && utf8.Valid(src) {
				t.Errorf("%#v in a file of %d lines", d, lines)
			}
		}
		if _, again := load("a.yaml", src, o); diags.Error() != again.Error() {
			t.Errorf("first\n%s\nthen\n%s", diags, again)
		}
		_ = diag.Render(discard{}, diags, func(string) string { return string(src) })
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
