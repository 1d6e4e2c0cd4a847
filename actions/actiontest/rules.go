package actiontest

import (
	"errors"
	"slices"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

// rule is one thing that holds for every action.
type rule struct {
	name, text string
	check      func(*subject)
}

//nolint:gochecknoglobals // a constant table
var rules = []rule{
	{"declaration", "a spec has a version and a summary that is a sentence; every field says what it is for", (*subject).declaration},
	{"names", "an action is found as group.name and as actions.group_name", (*subject).names},
	{"schemas", "input and output are valid JSON Schemas", (*subject).schemas},
	{"unknown", "an unknown parameter is an error that names it and what it may be a slip for", (*subject).unknown},
	{"missing", "all required parameters that are missing are named at once", (*subject).missing},
	{"examples", "every example uses the action, with input that it takes", (*subject).examples},
	{"types", "a value of any type in any parameter gives a result or a coded error, never a panic", (*subject).types},
	{"random", "any input gives a result that fits the output schema or a coded error, never a panic", (*subject).random},
}

func (s *subject) declaration() {
	if s.spec.Version < 1 {
		s.fail("the version is %d", s.spec.Version)
	}
	if sum := s.spec.Summary; len(sum) < 2 || !strings.HasSuffix(sum, ".") || strings.Contains(sum, "\n") {
		s.fail("the summary %q is no sentence with a final point", sum)
	}
	s.documented("input", s.action.Input())
	if out := s.action.Output(); out != nil {
		s.documented("output", out)
	}
}

func (s *subject) documented(path string, o *schema.Object) {
	for _, f := range o.Fields() {
		if strings.TrimSpace(f.Doc) == "" {
			s.fail("%s.%s has no doc", path, f.Name)
		}
		if f.Object != nil {
			s.documented(path+"."+f.Name, f.Object)
		}
	}
}

func (s *subject) names() {
	other := "actions." + strings.ReplaceAll(s.spec.Name, ".", "_")
	for _, name := range []string{s.spec.Name, other} {
		if a, ok := s.registry.Lookup(name); !ok || a.Spec().Name != s.spec.Name {
			s.fail("%q does not lead to the action", name)
		}
	}
}

func (s *subject) schemas() {
	for _, part := range []struct {
		name   string
		schema value.Value
	}{{"input", s.action.Input().JSONSchema()}, {"output", s.action.OutputSchema()}} {
		if _, err := newChecker(part.schema); err != nil {
			s.fail("%s: %v", part.name, err)
		}
	}
}

func (s *subject) unknown() {
	names := s.action.Input().Names()
	slips := []string{"no_such_parameter_at_all"}
	for _, name := range names {
		if slip := name + "x"; !slices.Contains(names, slip) {
			slips = append(slips, slip)
		}
	}
	for _, slip := range slips {
		err := s.call(actions.Call{Input: value.Object(value.M(slip, value.Int(1)))})
		if actions.CodeOf(err) != actions.CodeInvalidInput || !strings.Contains(err.Error(), slip) {
			s.fail("%q is let pass: %v", slip, err)
		} else if near := diag.Suggest(slip, names); !strings.Contains(err.Error(), near) {
			s.fail("%q does not lead to %q: %v", slip, near, err)
		}
	}
}

func (s *subject) missing() {
	var required []string
	for _, f := range s.action.Input().Fields() {
		if f.Required {
			required = append(required, f.Name)
		}
	}
	if len(required) == 0 {
		return
	}
	err := s.call(actions.Call{Input: value.Object()})
	if actions.CodeOf(err) != actions.CodeInvalidInput {
		s.fail("an empty input is let pass: %v", err)
		return
	}
	for _, name := range required {
		if !strings.Contains(err.Error(), `"`+name+`"`) {
			s.fail("%q is missing, but not named: %v", name, err)
		}
	}
}

// checkError checks what holds for every error.
func (s *subject) checkError(input value.Value, err error) {
	var coded *actions.Error
	switch {
	case !errors.As(err, &coded):
		s.fail("%s: the error has no code: %v", short(input), err)
	case !slices.Contains(actions.Codes(), coded.Code):
		s.fail("%s: the code %q is not one of ours: %v", short(input), coded.Code, err)
	case coded.Code == actions.CodeInternal:
		s.fail("%s: %v", short(input), err)
	case strings.TrimSpace(err.Error()) == "":
		s.fail("%s: the error (%s) says nothing", short(input), coded.Code)
	}
}

// checkResult checks what holds for every result.
func (s *subject) checkResult(input, output value.Value) {
	if err := output.Check(); err != nil {
		s.fail("%s: the result is not JSON: %v", short(input), err)
		return
	}
	if s.output == nil {
		var err error
		if s.output, err = newChecker(s.action.OutputSchema()); err != nil {
			s.fail("output schema: %v", err)
			return
		}
	}
	if err := s.output.validate(output); err != nil {
		s.fail("%s: the result %s does not fit the output schema: %v", short(input), short(output), err)
	}
}

// short cuts a value for a message.
func short(v value.Value) string {
	const most = 200
	if text := []rune(v.String()); len(text) > most {
		return string(text[:most]) + "…"
	}
	return v.String()
}
