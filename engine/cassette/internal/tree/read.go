package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"

	"github.com/tea-agents/tea/value"
)

// ParseYAML reads a YAML document as a value. Numbers keep every digit.
// Aliases, duplicate keys and tags of other languages are refused.
func ParseYAML(data []byte) (value.Value, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := d.Decode(&doc); err != nil {
		return value.Value{}, err
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return value.Value{}, errors.New("there is more than one document in the file")
	}
	if len(doc.Content) != 1 {
		return value.Value{}, errors.New("there is nothing in the file")
	}
	return convert(doc.Content[0], 0)
}

func convert(n *yaml.Node, depth int) (value.Value, error) {
	if depth > value.MaxDepth {
		return value.Value{}, at(n, "lists and objects nest too deeply")
	}
	switch n.Kind {
	case yaml.MappingNode:
		return mapping(n, depth)
	case yaml.SequenceNode:
		items := make([]value.Value, len(n.Content))
		for i, c := range n.Content {
			var err error
			if items[i], err = convert(c, depth+1); err != nil {
				return value.Value{}, err
			}
		}
		return value.List(items...), nil
	case yaml.ScalarNode:
		return scalar(n)
	default:
		return value.Value{}, at(n, "an alias cannot stand in a cassette")
	}
}

func mapping(n *yaml.Node, depth int) (value.Value, error) {
	seen := make(map[string]bool, len(n.Content)/2)
	members := make([]value.Member, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode || k.ShortTag() == "!!merge" {
			return value.Value{}, at(k, "a key is text")
		}
		if seen[k.Value] {
			return value.Value{}, at(k, fmt.Sprintf("the key %q stands twice", k.Value))
		}
		seen[k.Value] = true
		v, err := convert(n.Content[i+1], depth+1)
		if err != nil {
			return value.Value{}, err
		}
		members = append(members, value.M(k.Value, v))
	}
	return value.Object(members...), nil
}

func scalar(n *yaml.Node) (value.Value, error) {
	switch n.ShortTag() {
	case "!!null":
		return value.Null(), nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return value.Value{}, at(n, err.Error())
		}
		return value.Bool(b), nil
	case "!!int", "!!float":
		v, err := value.Number(n.Value)
		if err != nil {
			return value.Value{}, at(n, fmt.Sprintf("%s is not a number as JSON knows it; put text in quotes", n.Value))
		}
		return v, nil
	case "!!str", "!!timestamp":
		return value.String(n.Value), nil
	default:
		return value.Value{}, at(n, "the tag "+n.Tag+" cannot stand in a cassette")
	}
}

func at(n *yaml.Node, text string) error { return fmt.Errorf("line %d: %s", n.Line, text) }
