package value_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

// FuzzParse compares Parse with encoding/json: they read the same values, and
// Parse refuses more only for the reasons that its comment lists.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5,"x",null,true,false]}`, `"\ud83d\ude00"`, `"\ud83d"`, `1e5`, `1e999`, `-0`, `01`,
		`{"a":1,"a":2}`, `{"b":1,"a":{"\u0061":1,"a":2}}`, `[1,]`, `{"a":1,}`, `"\\ud800"`, "\"\xff\"", `[1] 2`,
		`[{"b":1,"a":"x"},{"a":"y","b":-12345678901234567890}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := value.Parse(data)
		if reason := refusal(data); (err != nil) != (reason != "") {
			t.Fatalf("%q: Parse says %v, want %q", data, err, reason)
		}
		if err != nil {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		var x any
		if err := dec.Decode(&x); err != nil {
			t.Fatal(err)
		}
		if want := value.Must(x); !value.Equal(v, want) {
			t.Fatalf("%q: Parse = %s, encoding/json = %s", data, v, want)
		}
		if again, err := value.Parse(v.AppendJSON(nil)); err != nil || !value.Equal(v, again) {
			t.Fatalf("%q: %s, then %s, %v", data, v, again, err)
		}
	})
}

var (
	plainEscape   = regexp.MustCompile(`\\[^u]`)
	surrogatePair = regexp.MustCompile(`(?i)\\ud[89ab]..\\ud[c-f]..`)
	surrogate     = regexp.MustCompile(`(?i)\\ud[89a-f]`)
)

// refusal tells, by other means than Parse, why text is to be refused.
func refusal(data []byte) string {
	switch {
	case !json.Valid(data):
		return "no JSON"
	case !utf8.Valid(data):
		return "broken UTF-8"
	}
	escapes := plainEscape.ReplaceAll(data, nil)
	escapes = surrogatePair.ReplaceAll(escapes, []byte("-"))
	if surrogate.Match(escapes) {
		return "unpaired surrogate"
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return walk(dec, 0)
}

// walk reads one value and returns what is wrong with it.
func walk(dec *json.Decoder, depth int) string {
	switch tok, err := dec.Token(); tok := tok.(type) {
	case json.Number:
		if _, err := strconv.ParseFloat(tok.String(), 64); err != nil && strings.ContainsAny(tok.String(), ".eE") {
			return "number out of range"
		}
	case json.Delim:
		if depth == value.MaxDepth {
			return "too deep"
		}
		seen := map[any]bool{}
		for dec.More() {
			if tok == '{' {
				key, _ := dec.Token()
				if seen[key] {
					return fmt.Sprintf("%q stands twice", key)
				}
				seen[key] = true
			}
			if reason := walk(dec, depth+1); reason != "" {
				return reason
			}
		}
		_, _ = dec.Token()
	default:
		if err != nil {
			return err.Error()
		}
	}
	return ""
}
