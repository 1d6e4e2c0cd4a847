package filters

import (
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

// formatMethod is str.format: {}, {0}, {name}, {:>8.2f}, {{ and }}.
func formatMethod(s string, a Args) (value.Value, error) {
	var out strings.Builder
	next := 0
	for s != "" {
		i := strings.IndexAny(s, "{}")
		if i < 0 {
			break
		}
		out.WriteString(s[:i])
		c := s[i]
		s = s[i+1:]
		if s != "" && s[0] == c {
			out.WriteByte(c)
			s = s[1:]
			continue
		}
		end := strings.IndexByte(s, '}')
		if c == '}' || end < 0 {
			return value.Null(), failf("the format has a single %c", c)
		}
		text, err := formatField(s[:end], a, &next)
		if err != nil {
			return value.Null(), err
		}
		out.WriteString(text)
		if out.Len() > MaxOutput {
			return value.Null(), errTooLarge()
		}
		s = s[end+1:]
	}
	return value.String(out.String() + s), nil
}

// formatField writes the value that stands between two braces.
func formatField(field string, a Args, next *int) (string, error) {
	field, layout, _ := strings.Cut(field, ":")
	field, conversion, _ := strings.Cut(field, "!")
	v, err := formatArg(field, a, next)
	if err != nil {
		return "", err
	}
	if conversion == "r" && v.Kind() == value.KindString {
		v = value.String(v.String())
	}
	sp, err := parseLayout(layout)
	if err != nil {
		return "", err
	}
	return sp.write(v)
}

func formatArg(field string, a Args, next *int) (value.Value, error) {
	i, rest := leadingInt(field)
	if field == "" {
		i = *next
		*next++
	} else if rest != "" {
		for _, m := range a.Named() {
			if m.Key == field {
				return m.Value, nil
			}
		}
		return value.Null(), failf("the format uses %q, which is not given", field)
	}
	if i >= len(a.Rest()) {
		return value.Null(), failf("the format uses value %d, but %d are given", i, len(a.Rest()))
	}
	return a.Rest()[i], nil
}

// parseLayout reads [[fill]align][sign][#][0][width][,][.prec][verb].
func parseLayout(s string) (numberSpec, error) {
	whole := s
	sp := numberSpec{prec: -1}
	s = sp.alignment(s)
	if s != "" && strings.IndexByte("+- ", s[0]) >= 0 {
		if s[0] != '-' {
			sp.sign = s[0]
		}
		s = s[1:]
	}
	s, sp.alt = strings.CutPrefix(s, "#")
	if rest, zero := strings.CutPrefix(s, "0"); zero && sp.align == 0 {
		sp.fill, sp.align, s = "0", '=', rest
	}
	sp.width, s = leadingInt(s)
	if s != "" && (s[0] == ',' || s[0] == '_') {
		sp.group, s = s[:1], s[1:]
	}
	if rest, ok := strings.CutPrefix(s, "."); ok {
		sp.prec, s = leadingInt(rest)
	}
	if len(s) == 1 && strings.Contains("sdfFeEgGxXobcn%", s) {
		sp.verb, s = s[0], ""
	}
	if s != "" {
		return sp, failf("the format %q cannot be read", whole)
	}
	return sp, nil
}

// alignment reads [[fill]align] and returns the rest of s.
func (sp *numberSpec) alignment(s string) string {
	const aligns = "<>^="
	_, n := utf8.DecodeRuneInString(s)
	switch {
	case n < len(s) && strings.IndexByte(aligns, s[n]) >= 0:
		sp.fill, sp.align = s[:n], s[n]
		return s[n+1:]
	case s != "" && strings.IndexByte(aligns, s[0]) >= 0:
		sp.align = s[0]
		return s[1:]
	}
	return s
}
