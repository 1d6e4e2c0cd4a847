package object

import (
	"unicode"
	"unicode/utf8"
)

func strPredicates() []Method {
	return []Method{
		allRunes("isdigit", isDigit), allRunes("isdecimal", func(r rune) bool { return unicode.Is(unicode.Nd, r) }),
		allRunes("isnumeric", unicode.IsNumber), allRunes("isalpha", unicode.IsLetter),
		allRunes("isalnum", func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }),
		allRunes("isspace", isSpace),
		on("isupper", cased("isupper", unicode.IsUpper, unicode.IsLower)),
		on("islower", cased("islower", unicode.IsLower, unicode.IsUpper)),
		on("istitle", func(_ *Thread, s *Str, a Args) (Object, error) {
			return Bool(isTitle(s.s)), a.Bind("istitle", "")
		}),
		on("isidentifier", func(_ *Thread, s *Str, a Args) (Object, error) {
			return Bool(IsIdentifier(s.s)), a.Bind("isidentifier", "")
		}),
		on("isascii", func(_ *Thread, s *Str, a Args) (Object, error) {
			return Bool(s.ascii), a.Bind("isascii", "")
		}),
		on("isprintable", func(t *Thread, s *Str, a Args) (Object, error) {
			for _, r := range s.s {
				if !printable(r) {
					return False, t.Work(len(s.s))
				}
			}
			return True, a.Bind("isprintable", "")
		}),
	}
}

func isDigit(r rune) bool {
	if unicode.Is(unicode.Nd, r) {
		return true
	}
	return r == 0xb2 || r == 0xb3 || r == 0xb9 || r == 0x2070 || 0x2074 <= r && r <= 0x2079 || 0x2080 <= r && r <= 0x2089
}

// allRunes makes a predicate that holds for a non-empty string of such runes.
func allRunes(name string, ok func(rune) bool) Method {
	return on(name, func(t *Thread, s *Str, a Args) (Object, error) {
		if err := a.Bind(name, ""); err != nil {
			return nil, err
		}
		for _, r := range s.s {
			if !ok(r) {
				return False, t.Work(len(s.s))
			}
		}
		return Bool(s.s != ""), t.Work(len(s.s))
	})
}

func cased(name string, want, not func(rune) bool) func(*Thread, *Str, Args) (Object, error) {
	return func(t *Thread, s *Str, a Args) (Object, error) {
		if err := a.Bind(name, ""); err != nil {
			return nil, err
		}
		found := false
		for _, r := range s.s {
			if not(r) || unicode.IsTitle(r) {
				return False, nil
			}
			found = found || want(r)
		}
		return Bool(found), t.Work(len(s.s))
	}
}

func isTitle(s string) bool {
	found, inWord := false, false
	for _, r := range s {
		switch {
		case unicode.IsUpper(r) || unicode.IsTitle(r):
			if inWord {
				return false
			}
			found, inWord = true, true
		case unicode.IsLower(r):
			if !inWord {
				return false
			}
		default:
			inWord = false
		}
	}
	return found
}

// IsIdentifier tells whether s has the form of a name.
func IsIdentifier(s string) bool {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Mc, r)) {
			return false
		}
	}
	return s != "" && utf8.ValidString(s)
}
