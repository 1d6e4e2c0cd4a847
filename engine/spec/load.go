package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/tea-agents/tea/internal/diag"
	"gopkg.in/yaml.v3"
)

// The limits of a document.
const (
	MaxBytes     = 16 << 20  // size of the file
	MaxDepth     = 100       // how deep lists and maps may nest
	MaxValues    = 1_000_000 // keys and values, with aliases expanded
	MaxExpansion = 10        // how many times aliases may multiply a document of more than freeValues

	freeValues = 10_000
)

// load reads YAML text and returns its only document, or nil when there is
// none to go on with.
func (p *parser) load(src []byte) *yaml.Node {
	if len(src) > MaxBytes {
		p.add(p.src.pos(0, 0), 1, "too_large", "the file has %d bytes, more than the %d that are allowed", len(src), MaxBytes)
		return nil
	}
	if punctuation(src) > 2*MaxValues {
		p.add(p.src.pos(0, 0), 1, "too_large", "the file holds more than %d values", MaxValues)
		return nil
	}
	doc, more, err := decode(src)
	if err != nil {
		p.syntax(src, err)
		return nil
	}
	if more != nil {
		p.add(p.src.pos(more.Line, more.Column), 1, "many_documents", "a second document; a file holds one agent").
			Hint = "put each agent in a file of its own"
	}
	if doc == nil || len(doc.Content) == 0 {
		p.add(p.src.pos(0, 0), 1, "empty", "the file holds no agent").Hint = "an agent needs a list of `nodes`"
		return nil
	}
	if !p.bounded(doc.Content[0]) {
		return nil
	}
	return doc.Content[0]
}

// punctuation counts the characters that every value beyond a handful needs
// at least one of, so that a hostile file is refused before it is parsed.
func punctuation(src []byte) int {
	n := 0
	for _, c := range src {
		switch c {
		case ',', ':', '\n', '[', '{', '-', '?':
			n++
		}
	}
	return n
}

// decode parses the first document, and tells where a second one begins.
func decode(src []byte) (doc, more *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil { // the YAML package has crashed on hostile text before
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(src))
	var first, second yaml.Node
	if err := d.Decode(&first); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil, nil
		}
		return nil, nil, err
	}
	switch err := d.Decode(&second); {
	case errors.Is(err, io.EOF):
		return &first, nil, nil
	case err != nil:
		return nil, nil, err
	default:
		return &first, &second, nil
	}
}

// bounded checks depth, the number of values and the growth by aliases, before
// anything is expanded.
func (p *parser) bounded(root *yaml.Node) bool {
	m := measure{seen: map[*yaml.Node]extent{}, open: map[*yaml.Node]bool{}}
	size := m.visit(root, 1).size
	where := m.where
	if where == nil {
		where = root
	}
	pos := p.src.pos(where.Line, where.Column)
	var d *diag.Diagnostic
	switch {
	case m.cycle:
		d = p.add(pos, 1, "alias_cycle", "the alias *%s stands inside what it refers to", where.Value)
	case m.deep:
		d = p.add(pos, 1, "too_deep", "lists and maps nest deeper than %d", MaxDepth)
	case m.written > MaxValues || size > MaxValues:
		d = p.add(pos, 1, "too_large", "the file holds more than %d values", MaxValues)
	case size > freeValues && size > MaxExpansion*m.written:
		d = p.add(pos, 1, "alias_bomb", "aliases make the document more than %d times as large as it is written", MaxExpansion)
	}
	return d == nil
}
