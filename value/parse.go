package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// MaxDepth is how deep lists and objects may nest in text that is parsed.
const MaxDepth = 1000

// SyntaxError says where and why text is not JSON.
type SyntaxError struct {
	Line, Col int // from 1; Col counts bytes
	Reason    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Col, e.Reason)
}

// Parse reads one JSON text. Integers keep every digit. It refuses what
// encoding/json lets pass: duplicate keys, broken UTF-8, unpaired surrogates
// and text after the value. Errors are of type *[SyntaxError].
func Parse(data []byte) (Value, error) {
	p := parser{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	p.dec.UseNumber()
	v, err := p.document()
	if err != nil {
		return Value{}, p.locate(err)
	}
	return v, nil
}

type parser struct {
	data []byte
	dec  *json.Decoder
}

func (p *parser) document() (Value, error) {
	if i := invalidUTF8(p.data); i >= 0 {
		return Value{}, &offsetError{int64(i), "text is not valid UTF-8"}
	}
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return Value{}, &offsetError{p.dec.InputOffset(), "there is more text after the value"}
	}
	return v, nil
}

func (p *parser) value(depth int) (Value, error) {
	if depth > MaxDepth {
		return Value{}, p.fail("nested more than %d deep", MaxDepth)
	}
	tok, err := p.dec.Token()
	if err != nil {
		return Value{}, err
	}
	switch tok := tok.(type) {
	case json.Delim:
		if tok == '[' {
			return p.list(depth)
		}
		return p.object(depth)
	case json.Number:
		v, err := Number(tok.String())
		if err != nil {
			return Value{}, p.fail("%v", err)
		}
		return v, nil
	case string:
		return String(tok), p.checkSurrogates()
	case bool:
		return Bool(tok), nil
	default:
		return Value{}, nil
	}
}

func (p *parser) list(depth int) (Value, error) {
	items := []Value{}
	for p.dec.More() {
		v, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		items = append(items, v)
	}
	_, err := p.dec.Token()
	return List(items...), err
}

func (p *parser) object(depth int) (Value, error) {
	m := map[string]Value{}
	for p.dec.More() {
		tok, err := p.dec.Token()
		if err != nil {
			return Value{}, err
		}
		key, _ := tok.(string)
		if err := p.checkSurrogates(); err != nil {
			return Value{}, err
		}
		if _, twice := m[key]; twice {
			return Value{}, p.fail("key %q stands twice in one object", key)
		}
		if m[key], err = p.value(depth + 1); err != nil {
			return Value{}, err
		}
	}
	_, err := p.dec.Token()
	return Map(m), err
}

// checkSurrogates refuses an unpaired \uD800–\uDFFF in the string just read,
// which encoding/json replaces quietly.
func (p *parser) checkSurrogates() error {
	end := int(p.dec.InputOffset())
	start := stringStart(p.data, end)
	for i := start; i < end; i++ {
		if p.data[i] != '\\' {
			continue
		}
		i++
		if p.data[i] != 'u' || !isSurrogate(p.data[i+1:end]) {
			continue
		}
		low := p.data[i+5 : end]
		if p.data[i+2]|0x20 >= 'c' || len(low) < 6 || low[0] != '\\' || low[1] != 'u' ||
			!isSurrogate(low[2:]) || low[3]|0x20 < 'c' {
			return &offsetError{int64(i), "unpaired surrogate in a string"}
		}
		i += 10
	}
	return nil
}

// stringStart finds the opening quote of the string that ends before end.
func stringStart(data []byte, end int) int {
	for i := end - 2; i >= 0; i-- {
		if data[i] != '"' {
			continue
		}
		slashes := 0
		for i-1-slashes >= 0 && data[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
	return 0
}

// isSurrogate tells whether four hex digits spell D800–DFFF.
func isSurrogate(hex []byte) bool {
	return len(hex) >= 4 && hex[0]|0x20 == 'd' && (hex[1] >= '8' && hex[1] <= '9' || hex[1]|0x20 >= 'a')
}

// offsetError is an error at a byte of the text.
type offsetError struct {
	offset int64
	reason string
}

func (e *offsetError) Error() string { return e.reason }

func (p *parser) fail(format string, args ...any) error {
	return &offsetError{p.dec.InputOffset(), fmt.Sprintf(format, args...)}
}

// locate turns the error of a decoder into one with line and column.
func (p *parser) locate(err error) error {
	offset, reason := p.dec.InputOffset(), err.Error()
	var syntax *json.SyntaxError
	var at *offsetError
	switch {
	case errors.As(err, &at):
		offset = at.offset
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		offset, reason = int64(len(p.data)), "the text ends too early"
	}
	before := p.data[:min(int(offset), len(p.data))]
	line := bytes.Count(before, []byte("\n")) + 1
	return &SyntaxError{Line: line, Col: len(before) - bytes.LastIndexByte(before, '\n'), Reason: reason}
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}
