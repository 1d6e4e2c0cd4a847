package filters_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The example of every filter is true, and every filter has one.
func TestExamples(t *testing.T) {
	t.Parallel()
	set := filters.Default()
	ctx := filters.WithStorageHash(t.Context(), func(context.Context, string) (string, error) { return "0d5c1e…", nil })
	for _, f := range set.Filters() {
		if f.Doc == "" {
			t.Errorf("%s has no doc", f.Name)
		}
		if strings.HasPrefix(f.Doc, "The same as ") {
			continue
		}
		src, want, ok := strings.Cut(f.Example, " => ")
		if !ok || !strings.Contains(src, f.Name) {
			t.Errorf("%s has no example: %q", f.Name, f.Example)
			continue
		}
		tpl, err := set.Compile(src)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		v, err := tpl.Render(ctx, filters.MapScope{"state": value.Object()})
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if got, err := filters.Text(v); err != nil || got != want {
			t.Errorf("%s: got %q %v, want %q", src, got, err, want)
		}
	}
}

func TestFiltersAreSorted(t *testing.T) {
	t.Parallel()
	var names []string
	for _, f := range filters.Default().Filters() {
		names = append(names, f.Name)
	}
	if !slices.IsSorted(names) || !slices.Contains(names, "sha256") {
		t.Errorf("got %v", names)
	}
}

func shout(_ context.Context, in value.Value, a filters.Args) (value.Value, error) {
	n, err := a.Int("times")
	return value.String(in.Text() + strings.Repeat("!", n)), err
}

func TestNewSet(t *testing.T) {
	t.Parallel()
	set, err := filters.NewSet(filters.Filter{Name: "shout", Params: "(times=1)", Apply: shout})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := renderText(t, set, `{{ "a" | shout }} {{ "b" | shout(times=2) }}`, filters.MapScope{}); got != "a! b!!" {
		t.Errorf("got %q %v", got, err)
	}
	if got, err := renderText(t, set, `{{ ["a", "b"] | map("shout", 2) | join }}`, filters.MapScope{}); got != "a!!b!!" {
		t.Errorf("got %q %v", got, err)
	}
	for _, f := range []filters.Filter{
		{Name: "upper", Apply: shout},
		{Name: "no name", Apply: shout},
		{Name: "", Apply: shout},
		{Name: "empty"},
		{Name: "odd", Params: "times", Apply: shout},
		{Name: "odd", Params: "(1)", Apply: shout},
		{Name: "odd", Params: "(a=x.y)", Apply: shout},
	} {
		if _, err := filters.NewSet(f); err == nil {
			t.Errorf("%+v is no error", f)
		}
	}
}

func TestNativeValues(t *testing.T) {
	t.Parallel()
	set, scope := filters.Default(), stateScope(t)
	for src, want := range map[string]string{
		"{{ state.n }}":                   `42`,
		"{{ state.n / 2 }}":               `21.0`,
		"{{ state.tags }}":                `["red","blue"]`,
		"{{ state.user }}":                `{"email":null,"name":"Grace"}`,
		"{{ true }}":                      `true`,
		"{{ none }}":                      `null`,
		"{{ '5' }}":                       `"5"`,
		"{{- state.n -}}":                 `42`,
		"{{ state.n }}\n":                 `42`,
		" {{ state.n }}":                  `" 42"`,
		"{{ state.n }}{{ state.n }}":      `"4242"`,
		"{% if true %}{{ 1 }}{% endif %}": `"1"`,
		"{{ 1, 2 }}":                      `[1,2]`,
		"{{ 18446744073709551616 }}":      `18446744073709551616`,
		"{{ {'b': 1, 'a': (2,)} }}":       `{"a":[2],"b":1}`,
		"text":                            `"text"`,
		"text\n":                          `"text\n"`,
		"":                                `""`,
		"{# c #}":                         `""`,
	} {
		v, err := render(t, set, src, scope)
		if err != nil || v.String() != want {
			t.Errorf("%q: got %s %v, want %s", src, v, err, want)
		}
	}
}

func TestTemplateSaysWhatItReads(t *testing.T) {
	t.Parallel()
	set := filters.Default()
	for _, c := range []struct{ src, names, paths, uses string }{
		{"plain", "", "", ""},
		{"{{ state.x }}", "state", "1:4 state.x", ""},
		{"a\n{{ state['x'].y[0] | sha256 }}", "state", "2:4 state.x.y.0", "sha256"},
		{"{{ state.get('k') }}{{ state.get('k', d) }}", "d state", "1:4 state.k 1:24 state 1:39 d", ""},
		{"{{ state[key].z }}", "key state", "1:4 state 1:10 key", ""},
		{"{{ secrets.TOKEN ~ variables.v }}", "secrets variables", "1:4 secrets.TOKEN 1:20 variables.v", ""},
		{"{% for x in state.l %}{{ x.a }}{{ loop.index }}{% endfor %}{{ x }}", "state x", "1:13 state.l 1:63 x", ""},
		{"{% set y = state.a %}{{ y.b }}", "state", "1:12 state.a", ""},
		{"{{ a | map('storage_hash') | list }}", "a", "1:4 a", "storage_hash"},
		{"{{ state.x.items() }}", "state", "1:4 state.x", ""},
		{"{% if a.b is defined %}{{ c }}{% endif %}", "a c", "1:7 a.b 1:27 c", ""},
	} {
		tpl, err := set.Compile(c.src)
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, p := range tpl.Paths() {
			paths = append(paths, fmt.Sprintf("%d:%d %s", p.Line, p.Col, p))
		}
		if got := strings.Join(tpl.Names(), " "); got != c.names {
			t.Errorf("%s: names %s", c.src, got)
		}
		if got := strings.Join(paths, " "); got != c.paths {
			t.Errorf("%s: paths %s", c.src, got)
		}
		if c.uses != "" && !tpl.Uses(c.uses) || tpl.Uses("md5") {
			t.Errorf("%s: uses", c.src)
		}
		if tpl.Static() != (c.src == "plain") || tpl.Source() != c.src {
			t.Errorf("%s: static %v, source %q", c.src, tpl.Static(), tpl.Source())
		}
	}
}

func TestExpr(t *testing.T) {
	t.Parallel()
	set, scope := filters.Default(), stateScope(t)
	for src, want := range map[string]string{
		"state.n > 40":            "true",
		"{{ state.n > 40 }}":      "true",
		"  {{- state.n -}} \n":    "42",
		"state.missing":           "null",
		"{'a': 1}":                `{"a":1}`,
		"state.user.name | lower": `"grace"`,
	} {
		x, err := set.CompileExpr(src)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := x.Eval(t.Context(), scope); err != nil || v.String() != want {
			t.Errorf("%q: got %s %v", src, v, err)
		}
	}
	for src, want := range map[string]string{
		"":                    "1:1: expected a value, found the end",
		"{{ a }} and {{ b }}": "1:9: there is more behind the expression (write it as one expression in one pair of {{ }}, or with none)",
		"{% if x %}":          "1:1: expected an expression, found a tag (write the condition alone, with or without {{ }})",
		"  a b":               `1:5: expected the end of the expression, found "b"`,
		"{{ a":                `1:5: "}}" is missing`,
	} {
		if _, err := set.CompileExpr(src); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", src, err, want)
		}
	}
	x, err := set.CompileExpr("{{ state.n | sha256 == env.H }}")
	if err != nil {
		t.Fatal(err)
	}
	if !x.Uses("sha256") || x.Uses("md5") || strings.Join(x.Names(), " ") != "env state" || x.Paths()[1].Col != 24 {
		t.Errorf("got %v %v", x.Names(), x.Paths())
	}
}

func TestCondition(t *testing.T) {
	t.Parallel()
	set, scope := filters.Default(), stateScope(t)
	for src, want := range map[string]string{
		"1": "true", "0": "false", "0.0": "false", "''": "false", "'x'": "true", "[]": "false", "[0]": "true", "{}": "false",
		"none": "false", "state.missing": "false", "2 ** 70": "true", "secrets.S": "true",
		"'False'": `1:1: the condition yields the text "False", which is always true (compare it: ... == "False")`,
		"'no'":    "error", "'none'": "error", "'0'": "error", "'TRUE'": "error", "' yes '": "error", "'yess'": "true",
		"state.missing.deep": "error",
	} {
		x, err := set.CompileExpr(src)
		if err != nil {
			t.Fatal(err)
		}
		s := filters.MapScope{"state": scope["state"], "secrets": value.Object(value.M("S", value.Secret("S")))}
		ok, err := x.Condition(t.Context(), s)
		got := fmt.Sprint(ok)
		if err != nil {
			got = err.Error()
		}
		if got != want && (want != "error" || err == nil) {
			t.Errorf("%s: got %s, want %s", src, got, want)
		}
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	set := filters.Default()
	scope := filters.MapScope{"s": value.Secret("TOKEN"), "o": value.Object(value.M("s", value.Secret("TOKEN"))), "n": value.Int(1)}
	for src, want := range map[string]string{
		`{{ s }}`:                                 "hunter2",
		`Bearer {{ s }}.`:                         "Bearer hunter2.",
		`{{ "Bearer " ~ s }}`:                     "Bearer hunter2",
		`{{ "Bearer " + s }}`:                     "Bearer hunter2",
		`{{ s + "!" + s }}`:                       "hunter2!hunter2",
		`{{ s | default("x") }}`:                  "hunter2",
		`{{ s | default("x", true) }}`:            "hunter2",
		`{{ nope | default(s) }}`:                 "hunter2",
		`{{ s if s is defined else "" }}`:         "hunter2",
		`{{ s or "x" }}`:                          "hunter2",
		`{{ o.s }}`:                               "hunter2",
		`{% if s %}{{ n }}{{ s }}{% endif %}`:     "1hunter2",
		`{% set x = s %}[{{ x }}]`:                "[hunter2]",
		`{% set x %}<{{ s }}>{% endset %}{{ x }}`: "<hunter2>",
		`{% for x in [s] %}{{ x }};{% endfor %}`:  "hunter2;",
	} {
		v, err := render(t, set, src, scope)
		if err != nil || v.Kind() != value.KindSecret || strings.Contains(v.String(), "hunter2") {
			t.Errorf("%s: got %s %v", src, v, err)
			continue
		}
		if r, _ := value.Resolve(v, func(string) (string, error) { return "hunter2", nil }); r.Text() != want {
			t.Errorf("%s: got %q", src, r.Text())
		}
	}
	for _, src := range []string{
		`{{ s | upper }}`, `{{ s | length }}`, `{{ s | tojson }}`, `{{ s | sha256 }}`, `{{ s == "x" }}`, `{{ s != "x" }}`,
		`{{ s < "x" }}`, `{{ "x" in s }}`, `{{ s in ["x"] }}`, `{{ s[0] }}`, `{{ s[1:] }}`, `{{ s.upper() }}`, `{{ s.x }}`,
		`{{ s * 2 }}`, `{{ -s }}`, `{{ "%s" % s }}`, `{{ "x".replace("x", s) }}`, `{{ "x" | replace("x", s) }}`,
		`{{ o | tojson }}`, `{{ o }}!`, `{{ [s] | join }}`, `{{ [s] | map("upper") }}`, `{{ [s, "a"] | sort }}`,
		`{{ s is string }}`, `{{ s is eq "x" }}`, `{{ [s] | select("eq", "x") }}`, `{{ {s: 1} }}`, `{{ range(s) }}`,
		`{{ [s] | unique }}`, `{{ o == o }}`, `{{ [s] | sha256 }}`, `{{ "{}".format(s) }}`, `{{ s ~ o }}`,
		`{% for c in s %}{% endfor %}`, `{{ [s] | map("default", "x") }}`,
	} {
		if v, err := render(t, set, src, scope); err == nil {
			t.Errorf("%s: got %s", src, v)
		} else if e := err.Error(); !strings.Contains(e, "a secret can only be inserted into text") && !strings.Contains(e, "secret cannot be a key") {
			t.Errorf("%s: %v", src, err)
		}
	}
}

func TestStorageHash(t *testing.T) {
	t.Parallel()
	set := filters.Default()
	tpl, err := set.Compile(`{{ "a.txt" | storage_hash }}`)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("no such file")
	ctx := filters.WithStorageHash(t.Context(), func(_ context.Context, path string) (string, error) {
		if path == "a.txt" {
			return "abc", nil
		}
		return "", broken
	})
	if v, err := tpl.Render(ctx, filters.MapScope{}); err != nil || v.Text() != "abc" || !tpl.Uses("storage_hash") {
		t.Errorf("got %s %v", v, err)
	}
	tpl, _ = set.Compile(`x{{ "b.txt" | storage_hash }}`)
	if _, err := tpl.Render(ctx, filters.MapScope{}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	set, scope := filters.Default(), stateScope(t)
	tpl, err := set.Compile("{% for u in state.users %}{{ loop.index }}{{ u.name | upper }}{% set x = u.age %}{{ x }} {% endfor %}")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				if v, err := tpl.Render(t.Context(), scope); err != nil || v.Text() != "1AL30 2BO5 3CY40 " {
					t.Errorf("got %s %v", v, err)
				}
				if got, err := renderText(t, set, fmt.Sprintf("{%% if true %%}%d-{{ %d }}{%% endif %%}", i, j), scope); got != fmt.Sprintf("%d-%d", i, j) {
					t.Errorf("got %s %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}
