package llmactions

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// FuzzForm holds that an answer is either taken, and then is the data that
// stands in it and fits the schema, or refused with a reason.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{"", "{}", "```json\n{\"kind\": 1}\n```", "```", "``````", "{\"kind\":\"a\"}", "[1e999]", "\xff"} {
		f.Add(seed)
	}
	schema, err := value.Parse([]byte(`{"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}`))
	if err != nil {
		f.Fatal(err)
	}
	strict, err := newForm(llm.Format{Type: "json_schema", Schema: schema})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content string) {
		free, problem := form{json: true}.read(content)
		if (free == nil) == (problem == "") {
			t.Fatalf("%q: %v and %q", content, free, problem)
		}
		if free != nil {
			if v, err := value.Parse([]byte(unfenced(content))); err != nil || !value.Equal(v, *free) {
				t.Errorf("%q became %s", content, free)
			}
		}
		parsed, problem := strict.read(content)
		if (parsed == nil) == (problem == "") {
			t.Fatalf("%q: %v and %q", content, parsed, problem)
		}
		if parsed != nil && (free == nil || parsed.At("kind").Kind() != value.KindString) {
			t.Errorf("%q was let pass", content)
		}
	})
}

func TestMatches(t *testing.T) {
	t.Parallel()
	words := rapid.StringOfN(rapid.RuneFrom([]rune("ab.")), 0, 6, -1)
	patterns := rapid.StringOfN(rapid.RuneFrom([]rune("ab.**")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		pattern, name := patterns.Draw(t, "pattern"), words.Draw(t, "name")
		same := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$").MatchString(name)
		if matches(pattern, name) != same {
			t.Errorf("matches(%q, %q) is %t", pattern, name, !same)
		}
	})
}

func TestModelNamesFitModels(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		if got := modelName(name); !toolName.MatchString(got) || toolName.MatchString(name) && got != name {
			t.Errorf("%q became %q", name, got)
		}
	})
}

func TestUnfenced(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"{}": "{}", " {} \n": "{}", "```json\n{}\n```": "{}", "```\n{}\n```\n": "{}", "```{}": "```{}", "```": "```", "`{}`": "`{}`",
	} {
		if got := unfenced(content); got != want {
			t.Errorf("%q: %q, want %q", content, got, want)
		}
	}
}
