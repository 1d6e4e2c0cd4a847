package value

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string and returns its content, which is valid until the next
// call: a part of the input, or a copy in the scratch buffer.
func (p *parser) text() ([]byte, error) {
	p.pos++
	raw := p.plain()
	if p.here() == '"' {
		p.pos++
		return raw, nil
	}
	p.scratch = append(p.scratch[:0], raw...)
	for {
		switch p.here() {
		case '"':
			p.pos++
			return p.scratch, nil
		case '\\':
			if err := p.escape(); err != nil {
				return nil, err
			}
		default:
			return nil, p.unexpected("in string literal")
		}
		p.scratch = append(p.scratch, p.plain()...)
	}
}

// plain reads up to the next quote, backslash or control character.
func (p *parser) plain() []byte {
	rest := p.data[p.pos:]
	for i, c := range rest {
		if c == '"' || c == '\\' || c < ' ' {
			p.pos += i
			return rest[:i]
		}
	}
	p.pos = len(p.data)
	return rest
}

// escape reads an escape and appends what it stands for to the scratch buffer.
func (p *parser) escape() error {
	start := p.pos
	p.pos++
	c := p.here()
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return p.unicode(start)
	default:
		return p.unexpected("in string escape code")
	}
	p.pos++
	p.scratch = append(p.scratch, c)
	return nil
}

// unicode reads the rest of an escape that starts with \u, or of two that
// spell a surrogate pair.
func (p *parser) unicode(start int) error {
	r, err := p.hex4()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		low := rune(-1)
		if bytes.HasPrefix(p.data[p.pos:], []byte(`\u`)) {
			p.pos++
			if low, err = p.hex4(); err != nil {
				return err
			}
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return p.fail(start, "unpaired surrogate in a string")
		}
	}
	p.scratch = utf8.AppendRune(p.scratch, r)
	return nil
}

// hex4 reads a u and four hex digits.
func (p *parser) hex4() (rune, error) {
	var r rune
	for range 4 {
		p.pos++
		c := p.here()
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, p.unexpected(`in \u hexadecimal character escape`)
		}
		r = r<<4 | rune(c)
	}
	p.pos++
	return r, nil
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
