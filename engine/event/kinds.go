package event

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

// kind ties a type's name to what can be done with it.
type kind struct {
	name    string
	decode  func(data []byte) (Body, error)
	declare func() (*schema.Object, error)
}

// kinds lists every event, in the order of their names.
func kinds() []kind {
	return []kind{
		kindOf[CallFinished](), kindOf[CallStarted](), kindOf[Chunk](), kindOf[Log](),
		kindOf[LoopExhausted](), kindOf[NodeFinished](), kindOf[NodeSkipped](), kindOf[NodeStarted](),
		kindOf[RouteTaken](), kindOf[RunFinished](), kindOf[RunStarted](),
	}
}

func kindOf[T Body]() kind {
	var zero T
	return kind{
		name: zero.Type(),
		decode: func(data []byte) (Body, error) {
			var body T
			if err := json.Unmarshal(data, &body); err != nil {
				return nil, fmt.Errorf("event: %s: %w", body.Type(), err)
			}
			return body, nil
		},
		declare: schema.For[T],
	}
}

// Types returns the names of all types of events, sorted.
func Types() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// JSONSchema returns the JSON Schema (draft 2020-12) that every event of this
// version of the package satisfies.
func JSONSchema() (value.Value, error) {
	head, err := schema.For[header]()
	if err != nil {
		return value.Value{}, err
	}
	var variants []value.Value
	for _, k := range kinds() {
		body, err := k.declare()
		if err != nil {
			return value.Value{}, fmt.Errorf("event %s: %w", k.name, err)
		}
		variants = append(variants, variant(k.name, head.JSONSchema(), body.JSONSchema()))
	}
	return value.Object(
		value.M("$schema", value.String("https://json-schema.org/draft/2020-12/schema")),
		value.M("title", value.String("An event of a run")),
		value.M("oneOf", value.List(variants...)),
	), nil
}

// variant joins the schemas of the common keys and of one body.
func variant(name string, head, body value.Value) value.Value {
	properties := head.At("properties").Merge(body.At("properties"))
	properties = properties.With("v", value.Object(value.M("const", value.Int(Version))))
	properties = properties.With("type", value.Object(value.M("const", value.String(name))))
	return body.
		With("title", value.String(name)).
		With("properties", properties).
		With("required", value.List(append(elements(head.At("required")), elements(body.At("required"))...)...))
}

func elements(list value.Value) []value.Value {
	var items []value.Value
	for _, item := range list.Items() {
		items = append(items, item)
	}
	return slices.Clip(items)
}
