package filters

import (
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

// pad fills s to width characters. Where is 0 for text on the left, 1 on the
// right, 2 in the middle as Python's center has it.
func pad(s, fill string, width, where int) (string, error) {
	missing := width - utf8.RuneCountInString(s)
	if missing <= 0 {
		return s, nil
	}
	if width > MaxOutput/utf8.UTFMax {
		return "", errTooLarge()
	}
	left := 0
	switch where {
	case 1:
		left = missing
	case 2:
		left = missing/2 + missing&width&1
	}
	return strings.Repeat(fill, left) + s + strings.Repeat(fill, missing-left), nil
}

func justify(where int) func(string, Args) (value.Value, error) {
	return func(s string, a Args) (value.Value, error) {
		width, err := a.Int("width")
		if err != nil {
			return value.Null(), err
		}
		fill, err := a.Text("fill")
		if err != nil {
			return value.Null(), err
		}
		if utf8.RuneCountInString(fill) != 1 {
			return value.Null(), failf("the argument fill must be one character")
		}
		s, err = pad(s, fill, width, where)
		return value.String(s), err
	}
}

func zfill(s string, a Args) (value.Value, error) {
	width, err := a.Int("width")
	if err != nil {
		return value.Null(), err
	}
	sign := ""
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, s = s[:1], s[1:]
	}
	s, err = pad(s, "0", width-len(sign), 1)
	return value.String(sign + s), err
}

// splitLines is Python's splitlines: all line ends count, and one at the end
// opens no further line.
func splitLines(s string) []string {
	var lines []string
	for s != "" {
		i := strings.IndexAny(s, "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
		if i < 0 {
			return append(lines, s)
		}
		lines = append(lines, s[:i])
		_, n := utf8.DecodeRuneInString(s[i:])
		if strings.HasPrefix(s[i:], "\r\n") {
			n = 2
		}
		s = s[i+n:]
	}
	return lines
}
