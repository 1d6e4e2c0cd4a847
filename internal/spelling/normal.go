package spelling

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// rounds is how deep escapes within escapes are followed.
const rounds = 8

// bare returns the normal form of a text: without the escapes of JSON and of
// URLs, taken off again and again until there are none, and without all
// backslashes that are left; a plus is a blank. So a text has the normal form of
// whatever it was escaped to.
func bare(text []byte) []byte {
	for range rounds {
		next := make([]byte, 0, len(text))
		for i := 0; i < len(text); {
			if text[i] != '%' && text[i] != '\\' {
				next = append(next, text[i])
				i++
				continue
			}
			plain, n := unescape(text[i:])
			next = append(next, plain...)
			i += n
		}
		if len(next) == len(text) {
			break
		}
		text = next
	}
	text = bytes.ReplaceAll(text, []byte{'\\'}, nil)
	return bytes.ReplaceAll(text, []byte{'+'}, []byte{' '})
}

// replaceEscaped is Replace by normal forms.
func (s *Secrets) replaceEscaped(text string) string {
	form := bare([]byte(text))
	if !slices.ContainsFunc(s.plain, func(secret string) bool { return bytes.Contains(form, []byte(secret)) }) {
		return text
	}
	return normal(text).replace(text, s.plain, s.mask)
}

// unescaped is the normal form of a text, and where its bytes came from.
type unescaped struct {
	text []byte
	from []int // of each byte, the beginning of what it was in the original
	to   []int // and the end
}

// normal is bare with the places.
func normal(text string) *unescaped {
	u := &unescaped{}
	for i := range len(text) {
		u.add([]byte{text[i]}, i, i+1)
	}
	for range rounds {
		next := u.once()
		if len(next.text) == len(u.text) {
			break
		}
		u = next
	}
	last := &unescaped{}
	for i, c := range u.text {
		if c != '\\' {
			last.add(bare([]byte{c}), u.from[i], u.to[i])
		}
	}
	return last
}

// once takes off one layer of escapes.
func (u *unescaped) once() *unescaped {
	next := &unescaped{}
	for i := 0; i < len(u.text); {
		plain, n := unescape(u.text[i:])
		next.add(plain, u.from[i], u.to[i+n-1])
		i += n
	}
	return next
}

func (u *unescaped) add(text []byte, from, to int) {
	for _, c := range text {
		u.text, u.from, u.to = append(u.text, c), append(u.from, from), append(u.to, to)
	}
}

// unescape reads what stands at the beginning of b: an escape, or one byte.
func unescape(b []byte) (plain []byte, n int) {
	switch {
	case b[0] == '%' && len(b) > 2:
		if c, ok := hex(b[1:3]); ok {
			return []byte{byte(c)}, 3
		}
	case b[0] == '\\' && len(b) > 1:
		if i := strings.IndexByte(`"\/bfnrt`, b[1]); i >= 0 {
			return []byte{"\"\\/\b\f\n\r\t"[i]}, 2
		}
		if r, n := codePoint(b); n > 0 {
			return utf8.AppendRune(nil, r), n
		}
	}
	return b[:1], 1
}

// codePoint reads \uXXXX, or two of them that are one character.
func codePoint(b []byte) (r rune, n int) {
	const size = len(`\uXXXX`)
	unit := func(b []byte) (rune, bool) {
		if len(b) < size || b[0] != '\\' || b[1] != 'u' {
			return 0, false
		}
		return hex(b[2:size])
	}
	first, ok := unit(b)
	if !ok {
		return 0, 0
	}
	if second, ok := unit(b[size:]); ok && utf16.IsSurrogate(first) {
		if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
			return r, 2 * size
		}
	}
	return first, size
}

func hex(digits []byte) (rune, bool) {
	n, err := strconv.ParseUint(string(digits), 16, 16)
	return rune(n), err == nil
}

// replace puts mask in the place of the secrets, which are in normal form and the
// longest first, in the text that u is the normal form of.
func (u *unescaped) replace(text string, secrets []string, mask string) string {
	var b strings.Builder
	done := 0 // of text
	for at := 0; ; {
		found, size := u.first(at, secrets)
		if found < 0 {
			return b.String() + text[done:]
		}
		b.WriteString(text[done:u.from[found]])
		b.WriteString(mask)
		at = found + size
		done = u.to[at-1]
	}
}

// first returns where the first secret from at on is, the longest of several, or
// -1.
func (u *unescaped) first(at int, secrets []string) (found, size int) {
	found = -1
	for _, secret := range secrets {
		end := len(u.text)
		if found >= 0 {
			end = min(end, found+len(secret)-1)
		}
		if i := bytes.Index(u.text[at:max(at, end)], []byte(secret)); i >= 0 {
			found, size = at+i, len(secret)
		}
	}
	return found, size
}
