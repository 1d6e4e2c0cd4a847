package filters_test

import (
	"bufio"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tea-agents/tea/filters"
)

// seeds are the sources of all tables.
func seeds(f *testing.F) {
	f.Helper()
	file, err := os.Open("testdata/jinja.txt")
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if src, _, ok := strings.Cut(lines.Text(), " => "); ok {
			f.Add(strings.ReplaceAll(src, "⏎", "\n"))
		}
	}
	for _, c := range compileErrors {
		f.Add(c.src)
	}
	for _, c := range runErrors {
		f.Add(c.src)
	}
}

// Nothing panics, all text without tags comes through, and what compiles
// renders the same twice.
func FuzzCompile(f *testing.F) {
	seeds(f)
	set := filters.Default()
	scope := stateScope(f)
	f.Fuzz(func(t *testing.T, src string) {
		tpl, err := set.Compile(src)
		if err != nil {
			return
		}
		v, err := tpl.Render(t.Context(), scope)
		w, again := tpl.Render(t.Context(), scope)
		if (err == nil) != (again == nil) || v.String() != w.String() {
			t.Errorf("%q: %s %v, then %s %v", src, v, err, w, again)
		}
		if tpl.Static() && (err != nil || v.Text() != src) {
			t.Errorf("%q: static, but %s %v", src, v, err)
		}
		if err == nil && len(v.Text()) > filters.MaxOutput {
			t.Errorf("%q: %d bytes", src, len(v.Text()))
		}
		tpl.Paths()
	})
}

func FuzzCompileExpr(f *testing.F) {
	seeds(f)
	set := filters.Default()
	scope := stateScope(f)
	f.Fuzz(func(t *testing.T, src string) {
		x, err := set.CompileExpr(src)
		if err != nil {
			return
		}
		v, err := x.Eval(t.Context(), scope)
		if err == nil && utf8.ValidString(src) && v.Check() != nil {
			t.Errorf("%q: %s is not JSON: %v", src, v, v.Check())
		}
	})
}
