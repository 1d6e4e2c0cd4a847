package spec

import (
	"github.com/tea-agents/tea/value"
	"gopkg.in/yaml.v3"
)

func (p *parser) buildScalar(d *Data, n *yaml.Node) {
	d.Text = p.text(n)
	v, err := p.patterns.scalar(n)
	if err != nil {
		p.add(d.Pos, d.Text.Width(), "yaml_value", "%s", err.message).Hint = err.hint
	}
	d.Kind, d.Scalar = v.Kind(), v
}

func (p *parser) text(n *yaml.Node) Text {
	return Text{Value: n.Value, Pos: p.src.pos(n.Line, n.Column), src: p.src, style: n.Style}
}

func (p *parser) buildList(d *Data, n *yaml.Node) {
	d.Kind = value.KindList
	p.checkTag(d, n, "!!seq")
	d.Items = make([]*Data, len(n.Content))
	for i, item := range n.Content {
		d.Items[i] = p.build(item)
	}
}

func (p *parser) checkTag(d *Data, n *yaml.Node, want string) {
	if n.Style&yaml.TaggedStyle != 0 && n.Tag != want {
		p.add(d.Pos, 1, "yaml_value", "the tag %q does not fit here", n.Tag).Hint = "tags are not needed in an agent"
	}
}

// buildObject reads the keys in order. A key that stands twice is an error;
// keys that are merged in by `<<` give way to keys that are written out.
func (p *parser) buildObject(d *Data, n *yaml.Node) {
	d.Kind = value.KindObject
	p.checkTag(d, n, "!!map")
	first := map[string]int{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, ok := p.key(n.Content[i])
		if !ok {
			continue
		}
		if isMerge(n.Content[i]) {
			merged = append(merged, n.Content[i+1])
			continue
		}
		if line, twice := first[key.Value]; twice {
			p.add(key.Pos, key.Width(), "duplicate_key", "the key %q stands here a second time", key.Value).
				Hint = "it stands first at line " + itoa(line)
			continue
		}
		first[key.Value] = key.Pos.Line
		d.Members = append(d.Members, Member{Key: key, Value: p.build(n.Content[i+1])})
	}
	for _, m := range merged {
		p.merge(d, m)
	}
}

func isMerge(n *yaml.Node) bool { return n.Value == "<<" && n.Tag == "!!merge" }

// key returns the text of a key: that of a scalar as it is written, "null" for
// all ways to write null.
func (p *parser) key(n *yaml.Node) (Text, bool) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	t := p.text(n)
	if n.Kind != yaml.ScalarNode {
		p.add(t.Pos, 1, "yaml_value", "a list or map cannot be a key").Hint = "text that begins with {{ or [ must be quoted, as in \"{{ state.x }}\""
		return t, false
	}
	if n.Style == 0 && n.Tag == "!!null" {
		t.Value = "null"
	}
	return t, true
}

// merge adds the members of what `<<` names, which d does not have yet.
func (p *parser) merge(d *Data, n *yaml.Node) {
	from := p.build(n)
	parts := []*Data{from}
	if from.Kind == value.KindList {
		parts = from.Items
	}
	for _, part := range parts {
		if part.Kind != value.KindObject {
			p.add(p.src.pos(n.Line, n.Column), 1, "yaml_value", "`<<` merges maps, this is %s", described(part))
			continue
		}
		for _, m := range part.Members {
			if d.member(m.Key.Value) == nil {
				d.Members = append(d.Members, m)
			}
		}
	}
}
