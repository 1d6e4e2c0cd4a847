package actiontest

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tea-agents/tea/value"
)

// checker validates values against a JSON Schema.
type checker struct{ schema *jsonschema.Schema }

func newChecker(s value.Value) (*checker, error) {
	const address = "mem:///schema.json"
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(s.String()))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(address, doc); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(address)
	if err != nil {
		return nil, err
	}
	return &checker{compiled}, nil
}

func (c *checker) validate(v value.Value) error {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(v.String()))
	if err != nil {
		return err
	}
	return c.schema.Validate(doc)
}
