package filters

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

func textFilters() []Filter {
	escape := Filter{Name: "escape", Doc: `Replaces & < > " ' by HTML entities. Nothing is escaped unless asked for.`,
		Example: `{{ "<b>" | escape }} => &lt;b&gt;`, Apply: ofText(mapText(escapeHTML))}
	return []Filter{
		{Name: "capitalize", Doc: "The first letter large, all others small.",
			Example: `{{ "hELLO you" | capitalize }} => Hello you`, Apply: ofText(mapText(capitalize))},
		{Name: "lower", Doc: "The text in small letters.",
			Example: `{{ "Tea" | lower }} => tea`, Apply: ofText(mapText(strings.ToLower))},
		{Name: "upper", Doc: "The text in large letters.",
			Example: `{{ "Tea" | upper }} => TEA`, Apply: ofText(mapText(strings.ToUpper))},
		{Name: "title", Doc: "Every word with a large first letter.",
			Example: `{{ "the green tea" | title }} => The Green Tea`, Apply: ofText(mapText(jinjaTitle))},
		{Name: "string", Doc: "The input as it prints in text.",
			Example: `{{ [1, 2] | string | length }} => 6`, Apply: ofText(mapText(func(s string) string { return s }))},
		{Name: "wordcount", Doc: "The number of words.",
			Example: `{{ "a nice cup of tea" | wordcount }} => 5`, Apply: ofText(wordCount)},
		{Name: "trim", Params: "(chars=none)", Doc: "Without white space, or the characters given, at both ends.",
			Example: `{{ "  tea " | trim }} => tea`, Apply: ofText(stripper(true, true))},
		{Name: "replace", Params: "(old, new, count=-1)", Doc: "Replaces old by new, at most count times.",
			Example: `{{ "a-b-c" | replace("-", "+") }} => a+b+c`, Apply: ofText(replaceFilter)},
		{Name: "center", Params: "(width=80, fill=' ')", Doc: "The text in the middle of width characters.",
			Example: `{{ "tea" | center(9, "*") }} => ***tea***`, Apply: ofText(justify(2))},
		{Name: "format", Params: "(*args, **named)", Doc: "Fills in a text with % fields, as Python's % does.",
			Example: `{{ "%s: %.2f" | format("pi", 3.14159) }} => pi: 3.14`, Apply: ofText(formatFilter)},
		{Name: "truncate", Params: "(length=255, killwords=false, end='...', leeway=5)",
			Doc:     "Cuts text longer than length plus leeway so that it has length characters with end; at a word's end unless killwords.",
			Example: `{{ "a nice cup of tea" | truncate(10, leeway=0) }} => a nice...`, Apply: ofText(truncate)},
		escape, alias("e", escape),
	}
}

func mapText(f func(string) string) func(string, Args) (value.Value, error) {
	return func(s string, _ Args) (value.Value, error) { return value.String(f(s)), nil }
}

func escapeHTML(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace(s)
}

// jinjaTitle is Jinja2's title, for which words begin behind a blank, a minus
// or an opening bracket only.
func jinjaTitle(s string) string {
	first := true
	return strings.Map(func(r rune) rune {
		was := first
		first = unicode.IsSpace(r) || strings.ContainsRune("-({[<", r)
		if was {
			return unicode.ToUpper(r)
		}
		return unicode.ToLower(r)
	}, s)
}

var wordPattern = regexp.MustCompile(`[\p{L}\p{N}\p{Mn}_]+`)

func wordCount(s string, _ Args) (value.Value, error) {
	n := int64(0)
	for s != "" {
		loc := wordPattern.FindStringIndex(s)
		if loc == nil {
			break
		}
		n++
		s = s[loc[1]:]
	}
	return value.Int(n), nil
}

func replaceFilter(s string, a Args) (value.Value, error) {
	var texts [2]string
	for i, name := range []string{"old", "new"} {
		var err error
		if texts[i], err = Text(a.Value(name)); err != nil {
			return value.Null(), err
		}
	}
	count := -1
	if !a.Value("count").IsNull() {
		var err error
		if count, err = a.Int("count"); err != nil {
			return value.Null(), err
		}
	}
	return replaced(s, texts[0], texts[1], count)
}

func formatFilter(s string, a Args) (value.Value, error) {
	if len(a.Named()) > 0 {
		if len(a.Rest()) > 0 {
			return value.Null(), failf("format takes values in order or by name, not both")
		}
		return printf(s, value.Object(a.Named()...))
	}
	return printf(s, value.List(a.Rest()...))
}

func truncate(s string, a Args) (value.Value, error) {
	length, err := a.Int("length")
	if err != nil {
		return value.Null(), err
	}
	leeway, err := a.Int("leeway")
	if err != nil {
		return value.Null(), err
	}
	end, err := a.Text("end")
	if err != nil {
		return value.Null(), err
	}
	keep := length - utf8.RuneCountInString(end)
	if keep < 0 || leeway < 0 {
		return value.Null(), failf("truncate needs a length of at least the %d characters of end, and no negative leeway", length-keep)
	}
	if utf8.RuneCountInString(s) <= length+leeway {
		return value.String(s), nil
	}
	s = firstRunes(s, keep)
	if i := strings.LastIndexByte(s, ' '); i >= 0 && !a.Truth("killwords") {
		s = s[:i]
	}
	return value.String(s + end), nil
}

// firstRunes is the first n characters of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
