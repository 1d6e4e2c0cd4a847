package spelling_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/internal/spelling"
)

func TestSpellings(t *testing.T) {
	t.Parallel()
	const secret = `é/<"🫖 +`
	all := spelling.New("***", secret).Spelled()
	for program, spelled := range map[string]string{
		"as it is":     secret,
		"JavaScript":   `é/<\"🫖 +`,
		"Go":           `é/\u003c\"🫖 +`,
		"Python":       `\u00e9/<\"\ud83e\uded6 +`,
		"Ruby":         `\u00E9/<\"\uD83E\uDED6 +`,
		"PHP":          `\u00e9\/<\"\ud83e\uded6 +`,
		".NET":         `\u00E9/\u003C\u0022\uD83E\uDED6 \u002B`,
		"Go in JSON":   `é/\\u003c\\\"🫖 +`,
		"Go in Python": `\u00e9/\\u003c\\\"\ud83e\uded6 +`,
		"PHP in PHP":   `\\u00e9\\\/<\\\"\\ud83e\\uded6 +`,
		"query":        "%C3%A9%2F%3C%22%F0%9F%AB%96+%2B",
		"query, small": "%c3%a9%2f%3c%22%f0%9f%ab%96+%2b",
		"path":         "%C3%A9%2F%3C%22%F0%9F%AB%96%20+",
		"address":      "%C3%A9/%3C%22%F0%9F%AB%96%20+",
	} {
		if !slices.Contains(all, spelled) {
			t.Errorf("%s: %s is none of\n%s", program, spelled, strings.Join(all, "\n"))
		}
	}
	if plain := spelling.New("***", "onlyLetters1").Spelled(); len(plain) != 4 {
		t.Errorf("a plain text has the spellings %q", plain)
	}
}

// However often and by whom a secret was escaped, it is found.
func TestEscapesWithinEscapes(t *testing.T) {
	t.Parallel()
	const secret = `a"b\n/c+d %41é`
	s := spelling.New("***", secret, "other").And(spelling.New("***", "one more"))
	quote := func(s string) string { return strings.Trim(strconv.QuoteToASCII(s), `"`) }
	for _, form := range []string{
		secret, quote(quote(quote(quote(secret)))), url.QueryEscape(url.QueryEscape(quote(secret))), quote(url.PathEscape(quote(secret))),
		url.QueryEscape(url.QueryEscape(url.QueryEscape(secret))), "on%65+mor%65", `\/other`,
	} {
		if got := s.Replace("é% <" + form + `> \n`); !strings.HasPrefix(got, "é% <") || !strings.HasSuffix(got, `> \n`) || !strings.Contains(got, "***") || len(got) > 20 {
			t.Errorf("%q became %q", form, got)
		}
	}
	for _, text := range []string{"", "%", `\`, `100% \o/ \u00`, `a"b\\x/c+d %41é`, `{"a":"\u00e9%"}`} {
		if got := s.Replace(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if none := (*spelling.Secrets)(nil); none.Replace("x%20") != "x%20" || none.Spelled() != nil {
		t.Error("no secrets replace something")
	}
}

func TestTheLongestGoesFirst(t *testing.T) {
	t.Parallel()
	if got := spelling.New("***", "token", "token-and-more").Replace("<token-and-more> <token>"); got != "<***> <***>" {
		t.Errorf("got %q", got)
	}
}

func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[a-z0-9"\\/<>&' +=%\n\tßж漢🫖]{8,20}`).Draw(t, "secret")
		mask := spelling.New("***", secret)
		for offset := range 3 {
			text := base64.StdEncoding.EncodeToString([]byte("abc"[:offset] + secret + "xyz"))
			for _, form := range []string{text, url.QueryEscape(text), strings.ReplaceAll(text, "/", `\/`)} {
				if !strings.Contains(mask.Replace(form), "***") {
					t.Fatalf("%q is still in %q", secret, form)
				}
			}
		}
		escaped := secret
		for range 3 {
			text, err := json.Marshal(escaped)
			if err != nil {
				t.Fatal(err)
			}
			escaped = string(text[1 : len(text)-1])
			for _, form := range []string{escaped, url.QueryEscape(secret), url.PathEscape(secret)} {
				got := mask.Replace("a " + form + " b")
				if strings.ReplaceAll(got, `\`, "") != "a *** b" { // those in front may stay
					t.Fatalf("%q became %q", form, got)
				}
			}
		}
	})
}
