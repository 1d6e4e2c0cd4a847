package filters_test

import (
	"strings"
	"testing"

	"github.com/flosch/pongo2/v6"

	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/value"
)

// What a user can write never reaches pongo2 as its own syntax, and pongo2's
// own names mean nothing.
func TestHazardsOfPongo(t *testing.T) {
	t.Parallel()
	set := filters.Default()
	scope := filters.MapScope{"x": value.String(`{{ f(0,0) }}{% include "/etc/passwd" %}`), "f": value.Int(7)}
	for src, want := range map[string]string{
		// text that looks like its tags once other tags are gone
		"{ {#- c -#} { f(1,0) }}{{ f }}":     "{{ f(1,0) }}7",
		"{ {#- c -#} % now %}{{ f }}":        "{% now %}7",
		"{ {#- c -#} # c #}{{ f }}":          "{# c #}7",
		"{%raw%}{{ f(1,0) }}{%endraw%}{{f}}": "{{ f(1,0) }}7",
		"{{ x }}!":                           scope["x"].Text() + "!",
		"{{ x }}{{ x | upper }}":             scope["x"].Text() + strings.ToUpper(scope["x"].Text()),
		// the function of the skeleton is out of reach
		"{{ f }}!": "7!",
		// nothing is escaped
		"{{ '<&>' }}{{ '\"' }}": `<&>"`,
		// names that are pongo2's own
		"{% for forloop in [1] %}{{ forloop }}{% endfor %}": "1",
		"{% set pongo2 = 1 %}{{ pongo2 }}":                  "1",
		"{{ pongo2 | default('none') }}!":                   "none!",
		"{% set as = 1 %}{{ as }}!":                         "1!",
		"\x00{{ f }}\xff":                                   "\x007\xff",
	} {
		if got, err := renderText(t, set, src, scope); err != nil || got != want {
			t.Errorf("%q: got %q %v, want %q", src, got, err, want)
		}
	}
	if _, err := set.Compile("{{ f(1,0) }}"); err == nil {
		t.Error("f can be called")
	}
	// No method of a Go type can be called or read.
	for _, src := range []string{"{{ x.Text() }}", "{{ x.String() }}", "{{ x.Kind() }}", "{{ x.MarshalJSON() }}"} {
		if _, err := set.Compile(src); err == nil {
			t.Errorf("%s compiles", src)
		}
	}
	if got, err := render(t, set, "{{ x.String }}", scope); err != nil || !got.IsNull() {
		t.Errorf("got %s %v", got, err)
	}
}

// Whoever else uses pongo2 in the same program finds it as it was.
func TestPongoGlobalsAreUntouched(t *testing.T) {
	t.Parallel()
	if _, err := renderText(t, filters.Default(), "{{ '<' }}!", filters.MapScope{}); err != nil {
		t.Fatal(err)
	}
	own := pongo2.NewSet("own", pongo2.MustNewLocalFileSystemLoader(""))
	tpl, err := own.FromString("{% set y = 1 %}{{ x }}{{ x|upper }}")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tpl.Execute(pongo2.Context{"x": "<a>"}); err != nil || got != "&lt;a&gt;&lt;A&gt;" {
		t.Errorf("got %q %v", got, err)
	}
}
