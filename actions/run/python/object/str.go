package object

import (
	"strings"
	"unicode/utf8"
)

// Str is a string: a sequence of code points.
type Str struct {
	s     string
	ascii bool
	runes []rune // filled when a non-ASCII string is first indexed
}

// NewStr makes a string of UTF-8 text. Broken UTF-8 becomes U+FFFD.
func NewStr(s string) *Str {
	if isASCII(s) {
		return &Str{s: s, ascii: true}
	}
	return &Str{s: strings.ToValidUTF8(s, "\uFFFD")}
}

// NewConst makes a string that several goroutines may use.
func NewConst(s string) *Str {
	x := NewStr(s)
	x.codePoints()
	return x
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// TypeName implements Object.
func (*Str) TypeName() string { return "str" }

// Text is the string as UTF-8.
func (s *Str) Text() string { return s.s }

func (s *Str) codePoints() []rune {
	if s.runes == nil && !s.ascii {
		s.runes = []rune(s.s)
	}
	return s.runes
}

// Len is the number of code points.
func (s *Str) Len() int {
	if s.ascii {
		return len(s.s)
	}
	if s.runes != nil {
		return len(s.runes)
	}
	return utf8.RuneCountInString(s.s)
}

// at is the code point i as a string; i is in range.
func (s *Str) at(i int) *Str {
	if s.ascii {
		return &Str{s: s.s[i : i+1], ascii: true}
	}
	return NewStr(string(s.codePoints()[i]))
}

// sub is the part from code point lo to hi, 0 <= lo <= hi <= Len.
func (s *Str) sub(lo, hi int) *Str {
	if s.ascii {
		return &Str{s: s.s[lo:hi], ascii: true}
	}
	return NewStr(string(s.codePoints()[lo:hi]))
}

// offset is the index in code points of byte offset b.
func (s *Str) offset(b int) int {
	if s.ascii || b <= 0 {
		return b
	}
	return utf8.RuneCountInString(s.s[:b])
}

// CodePointOffset turns an offset in the bytes of Text into one in code points.
func (s *Str) CodePointOffset(b int) int { return s.offset(b) }

// Str makes a string that is charged to the run.
func (t *Thread) Str(s string) (Object, error) {
	if err := t.Alloc(int64(len(s)) + headSize); err != nil {
		return nil, err
	}
	return NewStr(s), nil
}

// AsStr returns the text of a string.
func AsStr(o Object) (string, bool) {
	s, ok := o.(*Str)
	if !ok {
		return "", false
	}
	return s.s, true
}
