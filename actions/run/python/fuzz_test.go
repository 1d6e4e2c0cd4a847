package python_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tea-agents/tea/actions/run/python"
)

func seeds(f *testing.F) {
	f.Helper()
	for _, s := range []string{
		"return {'a': [x for x in state['tags'] if x]}", "f'{x!r:>{w}}'", "def f(a, *b, c=1, **d):\n  return lambda: a\nf(1)",
		"import re\nre.sub(r'(\\w+)', r'<\\1>', 'a b')", "x = 'a%5.2f' % 1.5", "while True:\n  break\nelse:\n  pass",
		"import json\njson.loads('{\"a\": [1, 2.5, null]}')", "from datetime import *", "a[1:2, ::3] = *b, c", "'''x\n", "f'{'", "{**a, 'b': 1}",
		"import itertools as i\nlist(i.permutations('abc', 2))", "x = 1 if 2 else 3", "try:\n  x\nexcept: y", "lambda *a, **k: (a := 1)",
		"class A(B):\n  def f(self): yield 1", "print(1, sep='')", "'{0[a].b!r:{w}}'.format(1)", "\tx\n  y\n z",
	} {
		f.Add(s)
	}
}

// FuzzCompile looks for code that the front end can't take without a panic, and
// for errors without a place.
func FuzzCompile(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, code string) {
		_, err := python.Compile(code, python.Options{})
		var es python.Errors
		if err != nil && (!errors.As(err, &es) || len(es) == 0) {
			t.Fatalf("%T %v", err, err)
		}
		for _, e := range es {
			if e.Line < 1 || e.Col < 1 || e.Msg == "" {
				t.Fatalf("%+v", e)
			}
		}
	})
}

// FuzzRun looks for code that breaks out of its limits.
func FuzzRun(f *testing.F) {
	seeds(f)
	for _, file := range []string{"basics", "strings", "containers", "errors", "modules"} {
		t := &testing.T{}
		for _, ex := range load(t, "testdata/"+file+".txt") {
			f.Add(ex.code)
		}
	}
	f.Fuzz(func(t *testing.T, code string) {
		p, err := python.Compile(code, python.Options{})
		if err != nil {
			return
		}
		c := fullCall(state(t))
		c.MaxSteps, c.MaxAlloc = 20_000, 4<<20
		_, err = p.Run(context.Background(), c)
		var e *python.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%T %v", err, err)
		}
	})
}

const tenLines = `result = state.get("extraction_result", {})
cache_hit = result.get("_cache_hit", False)
items = [x for x in state["tags"] if x != "b"]
total = 0
for i in range(10):
    total += i * 2
if cache_hit:
    print(f"Cache hit! {total}")
label = ", ".join(items)
return {"data": result.get("data"), "total": total, "label": label}
`

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := python.Compile(tenLines, python.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	p := compile(b, tenLines)
	c := python.Call{State: state(b)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Run(context.Background(), c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoop(b *testing.B) {
	p := compile(b, "t = 0\nfor i in range(100000):\n    t = t + i % 7\nreturn t")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Run(context.Background(), python.Call{}); err != nil {
			b.Fatal(err)
		}
	}
}
