package spelling

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"
)

// shortest is the length in bytes from which a spelling is looked for: shorter
// ones stand in too many places by chance.
const shortest = 4

// Secrets are texts that are to be found. The nil Secrets are none. They are
// immutable.
type Secrets struct {
	mask     string
	spelled  []string
	replacer *strings.Replacer
	plain    []string // normal forms
}

// New returns the texts as secrets, for which mask is to stand.
func New(mask string, texts ...string) *Secrets {
	s := &Secrets{mask: mask}
	for _, text := range texts {
		forms := spellings(text)
		s.spelled = append(s.spelled, forms...)
		for _, form := range forms {
			if n := string(bare([]byte(form))); len(n) >= 2*shortest || form == text && len(n) >= shortest {
				s.plain = append(s.plain, n)
			}
		}
	}
	s.finish()
	return s
}

// And returns the secrets of both; those of s say the mask, unless it is nil.
func (s *Secrets) And(other *Secrets) *Secrets {
	if s == nil {
		return other
	}
	both := &Secrets{mask: s.mask, spelled: slices.Concat(s.spelled, other.spelled), plain: slices.Concat(s.plain, other.plain)}
	both.finish()
	return both
}

func (s *Secrets) finish() {
	s.spelled, s.plain = longestFirst(s.spelled), longestFirst(s.plain)
	pairs := make([]string, 0, 2*len(s.spelled))
	for _, spelled := range s.spelled {
		pairs = append(pairs, spelled, s.mask)
	}
	s.replacer = strings.NewReplacer(pairs...)
}

// longestFirst returns each text once, the longest first.
func longestFirst(texts []string) []string {
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	return slices.Compact(texts)
}

// Replace puts the mask in the place of every secret in text: as it is, escaped
// for JSON and URLs in any way, any number of times, and within base64 of what is
// escaped once at most.
func (s *Secrets) Replace(text string) string {
	if s == nil {
		return text
	}
	text = s.replacer.Replace(text)
	if strings.ContainsAny(text, `\%`) {
		return s.replaceEscaped(text)
	}
	return text
}

// Spelled returns the usual spellings, the longest first: for who has to tell
// the beginning of a secret. It must not be changed.
func (s *Secrets) Spelled() []string {
	if s == nil {
		return nil
	}
	return s.spelled
}

// spellings returns how text is usually written:
//
//   - as it is
//   - escaped for JSON as Go, Python, PHP and .NET do, and that within JSON
//   - escaped for a URL's query or path, or as JavaScript and Python do, with
//     large and small digits
//   - within base64 of both alphabets, wherever it stands in what is encoded, be
//     it escaped there or not
func spellings(text string) []string {
	once := longestFirst(slices.Concat([]string{text}, escaped(styles(), text), percented(text)))
	all := slices.Concat(once, escaped(styles(), escaped(styles(), text)...))
	for _, form := range once {
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			for offset := range 3 {
				all = append(all, insideBase64(enc, form, offset))
			}
		}
	}
	return slices.DeleteFunc(longestFirst(all), func(s string) bool { return len(s) < shortest })
}

// insideBase64 returns the characters that text always becomes when it stands
// offset bytes after a multiple of three in a longer text.
func insideBase64(enc *base64.Encoding, text string, offset int) string {
	encoded := enc.EncodeToString(append(make([]byte, offset), text...))
	first := []int{0, 2, 3}[offset]
	last := len(encoded)
	if (offset+len(text))%3 != 0 {
		last-- // shares bits with what follows
	}
	return encoded[min(first, last):last]
}
