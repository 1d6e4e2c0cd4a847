package filters_test

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/value"
)

// jinjaScope is what the cases of testdata/jinja.txt are rendered with.
const jinjaScope = `{
	"name": "Ada", "n": 42, "user": {"name": "Grace", "email": null}, "items_list": ["a", "b", "c"],
	"grid": [[1, 2], [3, 4]], "word": "grün", "html": "<b>\"x\" & 'y'</b>", "template": "{{ 1 + 1 }}",
	"empty": "", "nothing": null, "tags": ["red", "blue"], "prices": {"apple": 2, "pear": 3},
	"users": [
		{"name": "Al", "age": 30, "team": "blue", "active": true},
		{"name": "Bo", "age": 5, "team": "red", "active": false},
		{"name": "Cy", "age": 40, "team": "blue", "active": true}
	]
}`

func stateScope(tb testing.TB) filters.MapScope {
	tb.Helper()
	state, err := value.Parse([]byte(jinjaScope))
	if err != nil {
		tb.Fatal(err)
	}
	return filters.MapScope{"state": state}
}

// The table is checked against the real Jinja2: see its head.
func TestJinja(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/jinja.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	set, scope := filters.Default(), stateScope(t)
	marks := strings.NewReplacer("⏎", "\n", "␣", "", "⏵", "")
	theme, cases, line := "head", 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line++
		text := lines.Text()
		if rest, ok := strings.CutPrefix(text, "## "); ok {
			theme = rest
		}
		if theme == "head" || text == "" || strings.HasPrefix(text, "# ") || strings.HasPrefix(text, "## ") {
			continue
		}
		src, want, ok := strings.Cut(text, " => ")
		if !ok {
			src, want, ok = strings.Cut(text, " ~> ")
		}
		if !ok {
			t.Fatalf("line %d: neither => nor ~>: %s", line, text)
		}
		cases++
		got, err := renderText(t, set, marks.Replace(src), scope)
		if err != nil {
			got = "!error"
		}
		if got != marks.Replace(want) {
			t.Errorf("%s, line %d: %s\n got %q %v\nwant %q", theme, line, src, got, err, marks.Replace(want))
		}
	}
	if cases < 250 {
		t.Errorf("only %d cases", cases)
	}
}

// renderText is the text of what src renders to.
func renderText(tb testing.TB, set *filters.Set, src string, scope filters.Scope) (string, error) {
	tb.Helper()
	tpl, err := set.Compile(src)
	if err != nil {
		return "", err
	}
	v, err := tpl.Render(tb.Context(), scope)
	if err != nil {
		return "", err
	}
	return filters.Text(v)
}
