package actiontest

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/tea-agents/tea/value"
)

func (s *subject) examples() {
	for _, ex := range s.spec.Examples {
		if strings.TrimSpace(ex.Title) == "" {
			s.fail("an example has no title:\n%s", ex.YAML)
		}
		if ex.Output != "" {
			if _, err := value.Parse([]byte(ex.Output)); err != nil {
				s.fail("example %q: output: %v", ex.Title, err)
			}
		}
		inputs, err := s.inputs(ex.YAML)
		if err != nil {
			s.fail("example %q: %v", ex.Title, err)
			continue
		}
		if len(inputs) == 0 {
			s.fail("example %q does not use the action", ex.Title)
		}
		for _, in := range inputs {
			for _, p := range s.action.Input().Check(in, dynamic) {
				s.fail("example %q: %s", ex.Title, p)
			}
		}
	}
}

// dynamic tells whether a string of an example is a template.
func dynamic(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(text, "{%")
}

// inputs returns what stands under with wherever the YAML text uses the action.
func (s *subject) inputs(text string) ([]value.Value, error) {
	var data any
	if err := yaml.Unmarshal([]byte(text), &data); err != nil {
		return nil, err
	}
	doc, err := value.From(data)
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	var found []value.Value
	s.find(doc, &found)
	return found, nil
}

func (s *subject) find(v value.Value, found *[]value.Value) {
	for _, item := range v.Items() {
		s.find(item, found)
	}
	for _, member := range v.Members() {
		s.find(member, found)
	}
	a, known := s.registry.Lookup(v.At("uses").Text())
	if !known || a.Spec().Name != s.spec.Name {
		return
	}
	with := v.At("with")
	if with.IsNull() {
		with = value.Object()
	}
	*found = append(*found, with)
}
