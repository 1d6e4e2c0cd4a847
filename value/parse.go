package value

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how deep lists and objects may nest in text that is parsed.
const MaxDepth = 1000

// SyntaxError says where and why text is not JSON. The place is the first
// character that cannot stand where it stands; of an escape, a number out of
// range and a key that stands twice, it is where they begin.
type SyntaxError struct {
	Line, Col int // from 1; Col counts bytes
	Reason    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Col, e.Reason)
}

// Parse reads one JSON text. Integers keep every digit. It refuses what
// encoding/json lets pass: duplicate keys, broken UTF-8, unpaired surrogates,
// numbers with a point or exponent beyond the range of a float64, and more
// than [MaxDepth] lists and objects inside each other. Errors are of type
// *[SyntaxError].
//
// The value shares nothing with data, and little within itself: a string that
// is kept while the rest is dropped keeps less than 1 KB of its neighbours in
// memory, however long the text was.
func Parse(data []byte) (Value, error) {
	if i := invalidUTF8(data); i >= 0 {
		return Value{}, newSyntaxError(data, i, "text is not valid UTF-8")
	}
	p := parser{data: data}
	v, err := p.value()
	if err != nil {
		return Value{}, err
	}
	if p.next(); p.pos < len(data) {
		return Value{}, newSyntaxError(data, p.pos, "there is more text after the value")
	}
	return v, nil
}

// parser reads a text that is known to be UTF-8. What belongs to lists and
// objects that are still open lies on two stacks, so that each is allocated
// once, in its final size.
type parser struct {
	data    []byte
	pos     int // of the next byte to read
	depth   int
	values  []Value
	keys    []memberKey
	scratch []byte // the last string that had escapes
	texts   texts
}

// value reads the value that comes next, after any white space.
func (p *parser) value() (Value, error) {
	switch c := p.next(); c {
	case '"':
		s, err := p.text()
		if err != nil {
			return Value{}, err
		}
		return String(p.texts.add(s, len(p.data)-p.pos)), nil
	case '{':
		return p.object()
	case '[':
		return p.list()
	case 't':
		return p.literal("true", Bool(true))
	case 'f':
		return p.literal("false", Bool(false))
	case 'n':
		return p.literal("null", Null())
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return p.number()
	default:
		return Value{}, p.unexpected("looking for beginning of value")
	}
}

func (p *parser) literal(word string, v Value) (Value, error) {
	for i := range len(word) {
		if p.here() != word[i] {
			return Value{}, p.unexpected(fmt.Sprintf("in literal %s (expecting %q)", word, word[i]))
		}
		p.pos++
	}
	return v, nil
}

func (p *parser) list() (Value, error) {
	if err := p.open(); err != nil {
		return Value{}, err
	}
	base := len(p.values)
	for more := p.next() != ']'; more; {
		v, err := p.value()
		if err != nil {
			return Value{}, err
		}
		p.push(v)
		if more = p.comma(); !more && p.here() != ']' {
			return Value{}, p.unexpected("after array element")
		}
	}
	p.close()
	return Value{kind: KindList, ref: &node{items: p.popValues(base)}}, nil
}

// open steps over a bracket or brace.
func (p *parser) open() error {
	if p.depth++; p.depth > MaxDepth {
		return p.fail(p.pos, "nested more than %d deep", MaxDepth)
	}
	p.pos++
	return nil
}

func (p *parser) close() {
	p.pos++
	p.depth--
}

// push puts v on the stack.
func (p *parser) push(v Value) {
	if p.values == nil {
		const shortest = len("1,") // that a value can be
		p.values = make([]Value, 0, min(16, len(p.data)/shortest))
	}
	p.values = append(p.values, v)
}

// popValues takes what lies above base off the stack.
func (p *parser) popValues(base int) []Value {
	items := make([]Value, len(p.values)-base)
	copy(items, p.values[base:])
	p.values = p.values[:base]
	return items
}

// next skips white space and returns the byte after it, 0 at the end.
func (p *parser) next() byte {
	for ; p.pos < len(p.data); p.pos++ {
		if c := p.data[p.pos]; c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

// here returns the next byte, 0 at the end.
func (p *parser) here() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

// comma steps over a comma, if that is what comes next.
func (p *parser) comma() bool {
	if p.next() != ',' {
		return false
	}
	p.pos++
	return true
}

// unexpected is the error for the next character.
func (p *parser) unexpected(where string) error {
	if p.pos >= len(p.data) {
		return p.fail(len(p.data), "the text ends too early")
	}
	r, _ := utf8.DecodeRune(p.data[p.pos:])
	return p.fail(p.pos, "invalid character %s %s", strconv.QuoteRune(r), where)
}

func (p *parser) fail(at int, format string, args ...any) error {
	return newSyntaxError(p.data, at, fmt.Sprintf(format, args...))
}

func newSyntaxError(data []byte, at int, reason string) error {
	before := data[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	return &SyntaxError{Line: line, Col: at - bytes.LastIndexByte(before, '\n'), Reason: reason}
}
