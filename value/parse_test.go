package value_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tea-agents/tea/value"
)

func TestParse(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 200)
	for text, want := range map[string]string{
		" \r\n\t[ 1 , 2 ] \n":                  `[1,2]`,
		`{"b":1,"a":{"d":2,"c":3}}`:            `{"a":{"c":3,"d":2},"b":1}`,
		`[{"b":1,"a":2},{"a":3,"b":4}]`:        `[{"a":2,"b":1},{"a":3,"b":4}]`,
		`{"":0,"\u0061":1,"A":2}`:              `{"":0,"A":2,"a":1}`,
		`"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"`: `"\"\\/\b\f\n\r\té😀"`,
		`"\\\ud83d\ude00\\u"`:                  `"\\😀\\u"`,
		`["\uFFFD","\u0000","` + "\x7f\"]":     "[\"\uFFFD\",\"\\u0000\",\"\x7f\"]",
		`"` + long + `\n"`:                     `"` + long + `\n"`,
		`[-0,999999999999999999,-999999999999999999,9223372036854775807,-9223372036854775808,9223372036854775808]`: `[0,999999999999999999,-999999999999999999,9223372036854775807,-9223372036854775808,9223372036854775808]`,
		`[1.0,-0.0,1E5,1e-5,12.50e+2,1e-999]`: `[1.0,-0.0,100000.0,1e-05,1250.0,0.0]`,
		"-" + long[1:]:                        "-" + long[1:],
	} {
		if v, err := value.Parse([]byte(text)); err != nil || v.String() != want {
			t.Errorf("Parse(%s) = %s, %v; want %s", text, v, err, want)
		}
	}
}

// TestParseRefuses lists what is no JSON text, and the place that the error
// points at.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{``, "line 1, column 1: the text ends too early"},
		{"[1,\n", "line 2, column 1: the text ends too early"},
		{`{"a"`, "line 1, column 5: the text ends too early"},
		{`"ab`, "line 1, column 4: the text ends too early"},
		{`"\`, "line 1, column 3: the text ends too early"},
		{`"\u12`, "line 1, column 6: the text ends too early"},
		{`tru`, "line 1, column 4: the text ends too early"},
		{`-`, "line 1, column 2: the text ends too early"},
		{`[1] 2`, "line 1, column 5: there is more text after the value"},
		{`[1]]`, "line 1, column 4: there is more text after the value"},
		{"{\n\"a\":\nx}", "line 3, column 1: invalid character 'x' looking for beginning of value"},
		{`[1,]`, "line 1, column 4: invalid character ']' looking for beginning of value"},
		{`[,1]`, "line 1, column 2: invalid character ',' looking for beginning of value"},
		{"\ufeff1", `line 1, column 1: invalid character '\ufeff' looking for beginning of value`},
		{"\x00", `line 1, column 1: invalid character '\x00' looking for beginning of value`},
		{`['a']`, `line 1, column 2: invalid character '\'' looking for beginning of value`},
		{`[NaN]`, "line 1, column 2: invalid character 'N' looking for beginning of value"},
		{`[1 2]`, "line 1, column 4: invalid character '2' after array element"},
		{`[1}`, "line 1, column 3: invalid character '}' after array element"},
		{`{"a":1,}`, "line 1, column 8: invalid character '}' looking for beginning of object key string"},
		{`{é:1}`, "line 1, column 2: invalid character 'é' looking for beginning of object key string"},
		{`{"a" 1}`, "line 1, column 6: invalid character '1' after object key"},
		{`{"a":1 "b":2}`, "line 1, column 8: invalid character '\"' after object key:value pair"},
		{`{"é":1]`, "line 1, column 8: invalid character ']' after object key:value pair"},
		{`[nil]`, "line 1, column 3: invalid character 'i' in literal null (expecting 'u')"},
		{`-x`, "line 1, column 2: invalid character 'x' in numeric literal"},
		{`[01]`, "line 1, column 3: invalid character '1' after leading zero in numeric literal"},
		{`[1.]`, "line 1, column 4: invalid character ']' after decimal point in numeric literal"},
		{`[1e+]`, "line 1, column 5: invalid character ']' in exponent of numeric literal"},
		{`[0, 1e999]`, "line 1, column 5: 1e999 is beyond the range of a number"},
		{"\"a\nb\"", `line 1, column 3: invalid character '\n' in string literal`},
		{`"a\x"`, "line 1, column 4: invalid character 'x' in string escape code"},
		{`"\u12g4"`, `line 1, column 6: invalid character 'g' in \u hexadecimal character escape`},
		{"[\n1,\"\xff\"]", "line 2, column 4: text is not valid UTF-8"},
		{`"a\ud800"`, "line 1, column 3: unpaired surrogate in a string"},
		{`"\ud800\u0041"`, "line 1, column 2: unpaired surrogate in a string"},
		{`"\ud800\n"`, "line 1, column 2: unpaired surrogate in a string"},
		{`{"\udc00":1}`, "line 1, column 3: unpaired surrogate in a string"},
		{"{\n \"a\":1,\"a\":2}", "line 2, column 8: key \"a\" stands twice in one object"},
		{`{"b":1,"a":2,"\u0061":3,"b":4}`, "line 1, column 14: key \"a\" stands twice in one object"},
	} {
		_, err := value.Parse([]byte(c.text))
		var syntax *value.SyntaxError
		if !errors.As(err, &syntax) || err.Error() != c.want {
			t.Errorf("Parse(%q): %v, want %s", c.text, err, c.want)
		}
	}
}

func TestParseDepth(t *testing.T) {
	t.Parallel()
	nest := func(depth int) []byte {
		return []byte(strings.Repeat(`[{"a":`, depth/2) + "1" + strings.Repeat(`}]`, depth/2))
	}
	if _, err := value.Parse(nest(value.MaxDepth)); err != nil {
		t.Errorf("%d levels: %v", value.MaxDepth, err)
	}
	const want = "line 1, column 3001: nested more than 1000 deep"
	if _, err := value.Parse(nest(value.MaxDepth + 2)); err == nil || err.Error() != want {
		t.Errorf("%d levels: %v, want %s", value.MaxDepth+2, err, want)
	}
	wide := "[" + strings.Repeat("[],", value.MaxDepth) + "{}]"
	if _, err := value.Parse([]byte(wide)); err != nil {
		t.Errorf("siblings count as levels: %v", err)
	}
}

// TestParseSharesNothing changes the input after it was read.
func TestParseSharesNothing(t *testing.T) {
	t.Parallel()
	const text = `{"key":"short and \"quoted\"","list":["x","x"]}`
	data := []byte(text)
	v, err := value.Parse(data)
	clear(data)
	if err != nil || v.String() != text {
		t.Errorf("Parse = %s, %v; want %s", v, err, text)
	}
}
