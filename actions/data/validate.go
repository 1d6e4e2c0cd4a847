package dataactions

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	text "golang.org/x/text/message"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// Actions returns the actions of the group data.
func Actions() []actions.Action {
	return []actions.Action{validate(), merge(), filter()}
}

type validateInput struct {
	Data   value.Value `json:"data" doc:"What to validate."`
	Schema value.Value `json:"schema" doc:"A JSON Schema, of draft 2020-12 unless its $schema says otherwise. Formats are checked. It may refer to itself only."`
}

type problem struct {
	Path    string `json:"path" doc:"Where, as a JSON pointer; empty is the whole."`
	Message string `json:"message" doc:"What is wrong there."`
}

type validateOutput struct {
	Valid      bool      `json:"valid" doc:"Whether the data conforms."`
	Errors     []problem `json:"errors" doc:"What is wrong, all at once, in the order of the paths."`
	ErrorCount int       `json:"error_count" doc:"Number of errors."`
}

func validate() actions.Action {
	return actions.Define(actions.Spec{
		Name: "data.validate", Version: 1, Effect: actions.Pure,
		Summary: "Checks data against a JSON Schema.",
		Doc:     "Data that does not conform is an answer, not a failure; a schema that is none is a failure.",
		Examples: []actions.Example{{
			Title: "Find what is wrong",
			YAML: `- name: check
  uses: data.validate
  with:
    data: {age: -1}
    schema: {type: object, properties: {age: {type: integer, minimum: 0}}}`,
			Output: `{"error_count":1,"errors":[{"message":"must be at least 0, got -1","path":"/age"}],"success":true,"valid":false}`,
		}},
	}, func(_ context.Context, _ actions.Env, in validateInput) (validateOutput, error) {
		schema, err := compile(in.Schema)
		if err != nil {
			return validateOutput{}, actions.Errorf(actions.CodeInvalidInput, "schema: %w", err)
		}
		data, err := plain(in.Data)
		if err != nil {
			return validateOutput{}, actions.Errorf(actions.CodeInvalidInput, "data: %w", err)
		}
		problems, err := judge(schema.Validate(data))
		return validateOutput{Valid: len(problems) == 0, Errors: problems, ErrorCount: len(problems)}, err
	})
}

// sealed is the loader of what a schema refers to: nothing.
type sealed struct{}

// Load implements jsonschema.URLLoader.
func (sealed) Load(url string) (any, error) {
	return nil, fmt.Errorf("refers to %s; a schema here can refer to itself only", url)
}

func compile(schema value.Value) (*jsonschema.Schema, error) {
	doc, err := plain(schema)
	if err != nil {
		return nil, err
	}
	const name = "schema.json"
	c := jsonschema.NewCompiler()
	c.UseLoader(sealed{})
	c.AssertFormat()
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name)
}

// plain turns v into what the library takes; numbers stay exact.
func plain(v value.Value) (any, error) {
	text, err := v.Canonical()
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// judge lists what a validation found; only errors of another kind are errors.
func judge(err error) ([]problem, error) {
	var invalid *jsonschema.ValidationError
	if err == nil || !errors.As(err, &invalid) {
		return nil, err
	}
	var out []problem
	leaves(invalid, func(e *jsonschema.ValidationError) {
		out = append(out, problem{Path: pointer(e.InstanceLocation), Message: message(e.ErrorKind)})
	})
	slices.SortFunc(out, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(out), nil
}

// leaves visits the errors that have no others below them.
func leaves(e *jsonschema.ValidationError, visit func(*jsonschema.ValidationError)) {
	if len(e.Causes) == 0 {
		visit(e)
	}
	for _, cause := range e.Causes {
		leaves(cause, visit)
	}
}

func pointer(location []string) string {
	var b strings.Builder
	for _, part := range location {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return b.String()
}

// message says what is wrong. Numbers stay exact, which the library's own
// texts, made for a language, do not keep.
func message(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return fmt.Sprintf("must be at least %s, got %s", exact(k.Want), exact(k.Got))
	case *kind.Maximum:
		return fmt.Sprintf("must be at most %s, got %s", exact(k.Want), exact(k.Got))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("must be more than %s, got %s", exact(k.Want), exact(k.Got))
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("must be less than %s, got %s", exact(k.Want), exact(k.Got))
	case *kind.MultipleOf:
		return fmt.Sprintf("must be a multiple of %s, got %s", exact(k.Want), exact(k.Got))
	}
	return k.LocalizedString(text.NewPrinter(language.English))
}

// exact writes a number in full.
func exact(r *big.Rat) string {
	if digits, ok := r.FloatPrec(); ok {
		return r.FloatString(digits)
	}
	return r.RatString()
}
