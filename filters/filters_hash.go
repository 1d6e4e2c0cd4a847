package filters

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"regexp"

	"golang.org/x/crypto/blake2b"

	"github.com/tea-agents/tea/value"
)

func hashFilters() []Filter {
	const of = " of a string's UTF-8 bytes, or of any other value's canonical JSON, in hex."
	return []Filter{
		{Name: "sha256", Doc: "The SHA-256" + of, Apply: hashed(sha256.New),
			Example: `{{ "tea" | sha256 | truncate(8, true, "", 0) }} => a9f74d1e`},
		{Name: "md5", Doc: "The MD5" + of + " Not for security.", Apply: hashed(md5.New),
			Example: `{{ "tea" | md5 }} => 7239ea2b5dc943f61f3c0a0276c20974`},
		{Name: "blake2b", Doc: "The BLAKE2b-512" + of, Apply: hashed(newBlake),
			Example: `{{ "tea" | blake2b | length }} => 128`},
	}
}

func newBlake() hash.Hash {
	h, _ := blake2b.New512(nil) // fails for a long key only
	return h
}

func hashed(newHash func() hash.Hash) func(context.Context, value.Value, Args) (value.Value, error) {
	return func(_ context.Context, in value.Value, _ Args) (value.Value, error) {
		data := []byte(in.Text())
		if in.Kind() != value.KindString {
			if m := asValue(in); m.secret {
				return in, errSecret()
			} else if err := m.err(); err != nil {
				return in, err
			}
			var err error
			if data, err = in.Canonical(); err != nil {
				return in, err
			}
		}
		h := newHash()
		h.Write(data)
		return value.String(hex.EncodeToString(h.Sum(nil))), nil
	}
}

// Regular expressions are RE2's: linear in the text, so only its length and
// the pattern's are bounded.
const maxRegexText, maxPattern = 1 << 20, 1000

func regexFilters() []Filter {
	const params = "ignorecase=false, multiline=false)"
	return []Filter{
		{Name: "regex_replace", Params: "(pattern, replacement, " + params,
			Doc:     `Replaces what a regular expression (RE2) matches; \1 stands for the first group.`,
			Example: `{{ "a1b22" | regex_replace("[0-9]+", "#") }} => a#b#`, Apply: ofText(regexReplace)},
		{Name: "regex_search", Params: "(pattern, " + params,
			Doc:     "What a regular expression (RE2) matches first: its first group when it has one, else the whole; null when nothing.",
			Example: `{{ "order 66" | regex_search("order ([0-9]+)") }} => 66`, Apply: ofText(regexSearch)},
		{Name: "regex_findall", Params: "(pattern, " + params,
			Doc:     "The list of all that a regular expression (RE2) matches: the first group when it has one, else the whole.",
			Example: `{{ "a1b22" | regex_findall("[0-9]+") }} => ["1", "22"]`, Apply: ofText(regexFindAll)},
	}
}

// pattern compiles the argument pattern.
func pattern(s string, a Args) (*regexp.Regexp, error) {
	p, err := a.Text("pattern")
	if err != nil {
		return nil, err
	}
	if len(s) > maxRegexText || len(p) > maxPattern {
		return nil, failf("regular expressions take %d bytes of text and %d of pattern at most", maxRegexText, maxPattern)
	}
	if a.Truth("ignorecase") {
		p = "(?i)" + p
	}
	if a.Truth("multiline") {
		p = "(?m)" + p
	}
	re, err := regexp.Compile(p)
	if err != nil {
		return nil, &fault{off: -1, msg: err.Error(), err: err}
	}
	return re, nil
}

var backReference = regexp.MustCompile(`\\(?:g<(\w+)>|([0-9]+))`)

func regexReplace(s string, a Args) (value.Value, error) {
	re, err := pattern(s, a)
	if err != nil {
		return value.Null(), err
	}
	repl, err := a.Text("replacement")
	if err != nil {
		return value.Null(), err
	}
	template := backReference.ReplaceAllString(regexp.MustCompile(`\$`).ReplaceAllString(repl, "$$$$"), "$${$1$2}")
	var out []byte
	last := 0
	for _, m := range re.FindAllStringSubmatchIndex(s, -1) {
		out = append(out, s[last:m[0]]...)
		out = re.ExpandString(out, template, s, m)
		if last = m[1]; len(out) > MaxOutput {
			return value.Null(), errTooLarge()
		}
	}
	return value.String(string(append(out, s[last:]...))), nil
}

func regexSearch(s string, a Args) (value.Value, error) {
	re, err := pattern(s, a)
	if err != nil {
		return value.Null(), err
	}
	m := re.FindStringSubmatch(s)
	if m == nil {
		return value.Null(), nil
	}
	return value.String(m[min(1, len(m)-1)]), nil
}

func regexFindAll(s string, a Args) (value.Value, error) {
	re, err := pattern(s, a)
	if err != nil {
		return value.Null(), err
	}
	var out []string
	for _, m := range re.FindAllStringSubmatch(s, MaxItems+1) {
		out = append(out, m[min(1, len(m)-1)])
	}
	return stringList(out)
}
