package jsonactions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/content"
	"github.com/tea-agents/tea/value"
)

// Actions returns the actions of the group json.
func Actions() []actions.Action {
	return []actions.Action{parse(), stringify(), transform()}
}

type parseInput struct {
	Text    string       `json:"text" doc:"The JSON text."`
	Strict  bool         `json:"strict" doc:"If false, a Markdown fence and prose around one object or list are left out, as models write them." default:"true"`
	Default *value.Value `json:"default,omitempty" doc:"What to return for text that is not JSON; without it, or when it is null, that is a failure."`
}

type parseOutput struct {
	Data value.Value `json:"data" doc:"What the text says. Integers keep every digit."`
}

func parse() actions.Action {
	return actions.Define(actions.Spec{
		Name: "json.parse", Version: 1, Effect: actions.Pure,
		Summary: "Reads JSON text.",
		Examples: []actions.Example{{
			Title:  "Parse an exact number",
			YAML:   "- name: parse\n  uses: json.parse\n  with: {text: '{\"id\": 9007199254740993}'}",
			Output: `{"data":{"id":9007199254740993},"success":true}`,
		}, {
			Title:  "Parse a model's answer",
			YAML:   "- name: parse\n  uses: json.parse\n  with:\n    strict: false\n    text: 'Here you are: {\"a\": 1}. Enjoy!'",
			Output: `{"data":{"a":1},"success":true}`,
		}},
	}, func(_ context.Context, _ actions.Env, in parseInput) (parseOutput, error) {
		v, err := read(in.Text, in.Strict)
		if err != nil && in.Default != nil {
			return parseOutput{Data: *in.Default}, nil
		}
		if err != nil {
			return parseOutput{}, &actions.Error{Code: actions.CodeInvalidInput, Err: err}
		}
		return parseOutput{Data: v}, nil
	})
}

// read parses text; unless strict, also what stands in a fence or between the
// outermost brackets of one sort. The error is that of the text as a whole.
func read(text string, strict bool) (value.Value, error) {
	v, err := content.JSON([]byte(text))
	if err == nil || strict {
		return v, err
	}
	var tries []string
	if m := regexp.MustCompile("(?s)```[a-zA-Z]*\\s*\n(.*?)```").FindStringSubmatch(text); m != nil {
		tries = append(tries, m[1])
	}
	for _, pair := range bracketOrder(text) {
		from, to := strings.IndexByte(text, pair[0]), strings.LastIndexByte(text, pair[1])
		if from >= 0 && to > from {
			tries = append(tries, text[from:to+1])
		}
	}
	for _, try := range tries {
		if v, err := content.JSON([]byte(try)); err == nil {
			return v, nil
		}
	}
	return value.Null(), err
}

// bracketOrder returns the pairs of brackets, that which opens first first.
func bracketOrder(text string) []string {
	brace, bracket := strings.IndexByte(text, '{'), strings.IndexByte(text, '[')
	if bracket >= 0 && (brace < 0 || bracket < brace) {
		return []string{"[]", "{}"}
	}
	return []string{"{}", "[]"}
}

type stringifyInput struct {
	Data     value.Value `json:"data" doc:"What to write."`
	Indent   int         `json:"indent,omitempty" doc:"Spaces per level; 0 writes one line." min:"0" max:"16"`
	SortKeys bool        `json:"sort_keys" doc:"Keys are always sorted; false is an error." default:"true"`
}

type stringifyOutput struct {
	Text string `json:"text" doc:"The JSON text."`
}

func stringify() actions.Action {
	return actions.Define(actions.Spec{
		Name: "json.stringify", Version: 1, Effect: actions.Pure,
		Summary: "Writes data as JSON text.",
		Doc:     "Equal data gives equal text: keys are sorted, integers keep every digit, nothing is escaped for HTML.",
		Examples: []actions.Example{{
			Title:  "Write one line",
			YAML:   "- name: text\n  uses: json.stringify\n  with: {data: {b: 2, a: [1, null]}}",
			Output: `{"success":true,"text":"{\"a\":[1,null],\"b\":2}"}`,
		}},
	}, func(_ context.Context, _ actions.Env, in stringifyInput) (stringifyOutput, error) {
		if !in.SortKeys {
			return stringifyOutput{}, actions.Errorf(actions.CodeInvalidInput,
				"sort_keys: false: objects have no order of their own here")
		}
		text, err := in.Data.Canonical()
		if err != nil {
			return stringifyOutput{}, &actions.Error{Code: actions.CodeInvalidInput, Err: err}
		}
		if in.Indent == 0 {
			return stringifyOutput{Text: string(text)}, nil
		}
		var out bytes.Buffer
		err = json.Indent(&out, text, "", strings.Repeat(" ", in.Indent))
		return stringifyOutput{Text: out.String()}, err
	})
}

type transformInput struct {
	Data       value.Value `json:"data" doc:"What to transform."`
	Expression string      `json:"expression" doc:"A JMESPath expression." example:"users[?active].name"`
}

type transformOutput struct {
	Result     value.Value `json:"result" doc:"What the expression yields; null where nothing matches."`
	Expression string      `json:"expression" doc:"The expression."`
}

func transform() actions.Action {
	return actions.Define(actions.Spec{
		Name: "json.transform", Version: 1, Effect: actions.Pure,
		Summary: "Transforms data with a JMESPath expression.",
		Doc: "The language is that of the JMESPath community edition (jmespath.site). Objects are walked in the order of their keys. " +
			"It computes with floats: integers up to 2^53 in size are exact, larger ones pass through unchanged " +
			"but are no numbers to it, so that comparing or adding them yields null. " +
			"A float without fraction, such as 1.0, comes out as the integer 1.",
		Examples: []actions.Example{{
			Title: "Filter and project",
			YAML: `- name: pick
  uses: json.transform
  with:
    data: {users: [{name: Ada, age: 36, id: 9007199254740993}, {name: Bob, age: 12, id: 2}]}
    expression: "users[?age > ` + "`18`" + `].{name: name, id: id}"`,
			Output: `{"expression":"users[?age > ` + "`18`" + `].{name: name, id: id}",` +
				`"result":[{"id":9007199254740993,"name":"Ada"}],"success":true}`,
		}},
	}, func(_ context.Context, _ actions.Env, in transformInput) (transformOutput, error) {
		result, err := search(in.Expression, in.Data)
		if err != nil {
			return transformOutput{}, actions.Errorf(actions.CodeInvalidInput, "expression %q: %w", in.Expression, err)
		}
		return transformOutput{Result: result, Expression: in.Expression}, nil
	})
}

var errTooLong = errors.New("is longer than 10,000 characters")
