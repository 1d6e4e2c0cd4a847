package spec_test

import (
	"strings"
	"testing"

	"github.com/tea-agents/tea/engine/spec"
)

// variables parses a document with one variable and returns its value as JSON,
// or the first problem.
func variable(yaml string) string {
	a, diags := spec.Parse("a.yaml", []byte("variables:\n  v: "+yaml+"\nnodes: [{name: n, run: ''}]\n"))
	if len(diags) > 0 {
		return diags[0].Message
	}
	return a.Variables.Get("v").Value().String()
}

func TestScalars(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]string{
		"":                               `null`,
		"~":                              `null`,
		"Null":                           `null`,
		"nil":                            `"nil"`,
		"true":                           `true`,
		"FALSE":                          `false`,
		"yes":                            `"yes"`,
		"off":                            `"off"`,
		"0":                              `0`,
		"-0":                             `0`,
		"+12":                            `12`,
		"-12":                            `-12`,
		"123456789012345678901234567890": `123456789012345678901234567890`,
		"0x1F":                           `31`,
		"0o17":                           `15`,
		"0b11":                           `"0b11"`,
		"1_000":                          `"1_000"`,
		"12:30":                          `"12:30"`,
		"1.0":                            `1.0`,
		".5":                             `0.5`,
		"5.":                             `5.0`,
		"1e3":                            `1000.0`,
		"1.2.3":                          `"1.2.3"`,
		"2024-01-02":                     `"2024-01-02"`,
		"2024-01-02T03:04:05Z":           `"2024-01-02T03:04:05Z"`,
		`"5"`:                            `"5"`,
		`'true'`:                         `"true"`,
		"!!str 5":                        `"5"`,
		"!!int 5":                        `5`,
		"!!float 5":                      `5.0`,
		"!!seq [1]":                      `[1]`,
		"[1, a, {b: c}]":                 `[1,"a",{"b":"c"}]`,
		"{1: x, true: y, 1.5: z}":        `{"1":"x","1.5":"z","true":"y"}`,
		"|\n    a\n    b":                "\"a\\nb\\n\"",
		".inf":                           ".inf is not JSON",
		".NaN":                           ".NaN is not JSON",
		"1e400":                          "1e400 is too large for a float",
		"007":                            "a number must not begin with 0: it could be meant as octal, as decimal or as text",
		"!!binary aGk=":                  "binary data cannot stand in an agent",
		"!!int x":                        `"x" is no int`,
		"!!map [1]":                      `the tag "!!map" does not fit here`,
		"{~: x}":                         `{"null":"x"}`,
		"{1: x, '1': y}":                 `the key "1" stands here a second time`,
		strings.Repeat("9", 10_001):      "the number has more than 10000 digits",
	} {
		if got := variable(yaml); got != want {
			t.Errorf("%.60s is %s, want %s", yaml, got, want)
		}
	}
}

func TestMergeKeys(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]string{
		"{<<: {a: 1, b: 2}, a: 3}":           `{"a":3,"b":2}`,
		"{a: 3, <<: [{a: 1, b: 2}, {b: 4}]}": `{"a":3,"b":2}`,
		"[&x {a: 1}, {<<: *x, b: 2}]":        `[{"a":1},{"a":1,"b":2}]`,
		"{'<<': 1}":                          `{"\u003c\u003c":1}`,
		"{<<: [1]}":                          "`<<` merges maps, this is 1",
	} {
		if got := strings.ReplaceAll(variable(yaml), "<<\":1", `\u003c\u003c":1`); got != want {
			t.Errorf("%s is %s, want %s", yaml, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	wide := "variables: {x: [" + strings.Repeat("1,", 2*spec.MaxValues) + "1]}\n"
	grown := "variables:\n  x: &x [" + strings.Repeat("1 , ", 1000) + "1]\n  y: [" + strings.Repeat("*x , ", 1000) + "*x]\n"
	many := "variables:\n  x: &x [" + strings.Repeat("1 , ", 1000) + "1]\n  y: [" + strings.Repeat("*x , ", 200) + "*x]\n"
	some := "variables:\n  x: &x [1, 2, 3]\n  y: [" + strings.Repeat("*x , ", 200) + "*x]\nnodes: [{name: n, run: ''}]\n"
	chain := "variables:\n  x0: &x0 [[[[[[[[[[1]]]]]]]]]]\n"
	for i, j := 0, 1; j < 12; i, j = i+1, j+1 {
		a, b := string(rune('a'+i)), string(rune('a'+j))
		if i == 0 {
			a = "x0"
		}
		chain += "  " + b + ": &" + b + " [[[[[[[[[[*" + a + "]]]]]]]]]]\n"
	}
	for name, tt := range map[string]struct{ src, code string }{
		"bytes":           {strings.Repeat("#", spec.MaxBytes+1), "too_large"},
		"values":          {wide, "too_large"},
		"values by alias": {grown, "too_large"},
		"aliases":         {many, "alias_bomb"},
		"a few aliases":   {some, ""},
		"depth":           {"variables: " + strings.Repeat("[", 101) + strings.Repeat("]", 101), "too_deep"},
		"depth by alias":  {chain, "too_deep"},
		"cycle":           {"variables: &a {x: [*a]}", "alias_cycle"},
		"nothing":         {"", "empty"},
		"second document": {"name: a\n---\nname: b\n", "many_documents"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := spec.Parse("a.yaml", []byte(tt.src))
			code := ""
			if len(diags) > 0 {
				code = diags[0].Code
			}
			if tt.code == "many_documents" {
				code = diags[len(diags)-1].Code
			}
			if code != tt.code {
				t.Errorf("got %q, want %q: %.300v", code, tt.code, diags)
			}
		})
	}
}

// The YAML package names the line of the enclosing list or map; a person wants
// the line with the mistake.
func TestSyntaxErrorsPointAtTheirLine(t *testing.T) {
	t.Parallel()
	for src, line := range map[string]int{
		"name: a\nnodes:\n  - name: x\n    run: 1\n   uses: y\n": 5,
		"a: 1\nb: 2\nc: [1, 2\nd: 3\ne: 4\n":                     3,
		"a: 1\nb: 2\n\tc: 3\n":                                   3,
		"a: 1\nb: c: d\n":                                        2,
		"a: 1\nb: 2\n  c: 3\n":                                   3,
		"a:\n  - 1\n  b: 2\n":                                    3,
		"a: \"x\nb: 1\n":                                         1,
		"a: 'it's'\nb: 1\n":                                      1,
		"\ufeffa: 1\r\nb: {{ x }} y\r\n":                         2,
		"a: @x\n":                                                1,
		"a: \"\\q\"\n":                                           1,
		"x: " + strings.Repeat("#", 300<<10) + "\na: b: c\nd: 1": 2,
	} {
		_, diags := spec.Parse("a.yaml", []byte(src))
		if len(diags) != 1 || diags[0].Code != "yaml_syntax" || diags[0].Line != line {
			t.Errorf("%.60q: got %v, want a problem at line %d", src, diags, line)
		}
	}
}
