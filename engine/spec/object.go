package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// parser collects the problems of one document.
type parser struct {
	src       *source
	patterns  patterns
	diags     diag.List
	nodeNames map[string]int // the line at which each name of a node stands
}

func (p *parser) add(pos diag.Pos, width int, code, format string, args ...any) *diag.Diagnostic {
	d := p.diags.Add(pos, code, format, args...)
	d.Width = width
	return d
}

// at reports a problem of a value.
func (p *parser) at(d *Data, code, format string, args ...any) *diag.Diagnostic {
	return p.add(d.Pos, d.Width(), code, format, args...)
}

// atKey reports a problem of a key.
func (p *parser) atKey(m *Member, code, format string, args ...any) *diag.Diagnostic {
	return p.add(m.Key.Pos, m.Key.Width(), code, format, args...)
}

// object checks that d is a map with no other keys than shape knows. It
// returns an empty map when d is none.
func (p *parser) object(d *Data, s shape) *Data {
	if d.Kind != value.KindObject {
		p.wrongType(d, s.what, "a map")
		return &Data{Pos: d.Pos, Kind: value.KindObject}
	}
	for i := range d.Members {
		p.checkKey(&d.Members[i], s)
	}
	return d
}

func (p *parser) checkKey(m *Member, s shape) {
	key := m.Key.Value
	switch {
	case slices.Contains(s.known, key) || strings.HasPrefix(key, "x-"):
	case slices.Contains(s.later, key):
		p.atKey(m, "not_supported", "`%s` is not supported yet by this version", key)
	default:
		p.atKey(m, "unknown_key", "unknown key %q in %s", key, s.what).
			Hint = diag.DidYouMean(key, slices.Concat(s.known, s.later))
	}
}

func (p *parser) wrongType(d *Data, what, want string) *diag.Diagnostic {
	return p.at(d, "wrong_type", "%s must be %s, this is %s", what, want, described(d))
}

// described names the kind of a value for a message.
func described(d *Data) string {
	switch d.Kind {
	case value.KindNull:
		return "empty"
	case value.KindBool, value.KindInt, value.KindFloat:
		return d.Scalar.String()
	case value.KindString:
		return "text"
	case value.KindList:
		return "a list"
	default:
		return "a map"
	}
}

// string returns the text of a string or number, or a zero Text.
func (p *parser) string(d *Data, what string) Text {
	switch {
	case d == nil:
	case d.Kind == value.KindString, d.Kind == value.KindInt, d.Kind == value.KindFloat:
		return d.Text
	default:
		p.wrongType(d, what, "text")
	}
	return Text{}
}

// name returns a text that must not be empty.
func (p *parser) name(d *Data, what string) Text {
	t := p.string(d, what)
	if d != nil && d.Kind == value.KindString && strings.TrimSpace(t.Value) == "" {
		p.at(d, "wrong_type", "%s must not be empty", what)
	}
	return t
}

// expr returns the text of an expression; `true` and `false` are expressions.
func (p *parser) expr(d *Data, what string) Text {
	switch {
	case d == nil:
		return Text{}
	case d.Kind == value.KindBool, d.Kind == value.KindString && strings.TrimSpace(d.Text.Value) != "":
		return d.Text
	}
	p.wrongType(d, what, "an expression").Hint = "such as \"state.count < 3\""
	return Text{}
}

func (p *parser) bool(d *Data, what string) bool {
	if d == nil {
		return false
	}
	b, ok := d.Scalar.AsBool()
	if !ok {
		p.wrongType(d, what, "true or false")
	}
	return b
}

// list returns the elements of a list; a single value is a list of one where
// that is allowed.
func (p *parser) list(d *Data, what string) []*Data {
	if d == nil {
		return nil
	}
	if d.Kind != value.KindList {
		p.wrongType(d, what, "a list")
		return nil
	}
	return d.Items
}

// names returns a list of different names.
func (p *parser) names(d *Data, what string) []Text {
	var names []Text
	for _, item := range p.list(d, what) {
		t := p.name(item, "an element of "+what)
		if t.IsZero() {
			continue
		}
		if slices.ContainsFunc(names, func(other Text) bool { return other.Value == t.Value }) {
			p.at(item, "duplicate_name", "%q stands twice in %s", t.Value, what)
			continue
		}
		names = append(names, t)
	}
	return names
}

// integer returns a whole number within bounds, or 0. Text that spells one is
// one.
func (p *parser) integer(d *Data, what string, low, high int64) int {
	if d == nil {
		return 0
	}
	v := d.Scalar
	if d.IsText() {
		v, _ = value.Number(d.Text.Value)
	}
	n, ok := v.AsInt()
	if !ok || n < low || n > high {
		p.wrongType(d, what, fmt.Sprintf("a whole number from %d to %d", low, high))
		return 0
	}
	return int(n)
}

func itoa(n int) string { return strconv.Itoa(n) }
