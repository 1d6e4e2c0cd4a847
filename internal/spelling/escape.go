package spelling

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// style is how a program escapes texts for JSON.
type style struct {
	ascii   bool   // nothing but ASCII is left
	upper   bool   // with large digits
	coded   string // characters that become \u00XX
	slashed string // characters with a backslash in front, besides " and \
}

// styles are those of common programs.
func styles() []style {
	return []style{
		{},                           // JavaScript
		{coded: "<>&"},               // Go
		{ascii: true},                // Python
		{ascii: true, upper: true},   // Ruby, Jackson
		{ascii: true, slashed: "/"},  // PHP
		{slashed: "/"},               // PHP, told to leave the rest
		{ascii: true, coded: `<>&'`}, // Gson, Rails
		{ascii: true, upper: true, coded: "<>&'\"+`"}, // .NET
	}
}

// escaped returns what all styles make of texts, each once.
func escaped(styles []style, texts ...string) []string {
	var all []string
	for _, text := range texts {
		if plain(text) {
			all = append(all, text)
			continue
		}
		for _, s := range styles {
			all = append(all, s.escape(text))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// plain tells whether nobody has to escape anything in text.
func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unreserved(r) && !strings.ContainsRune("-_.", r) })
}

// unreserved tells whether r is a letter or digit of ASCII.
func unreserved(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

func (s style) escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		short := strings.IndexRune("\b\t\n\f\r", r)
		switch {
		case strings.ContainsRune(s.coded, r), s.ascii && r > '~', short < 0 && r < ' ':
			s.code(&b, r)
		case short >= 0:
			b.WriteString(`\` + "btnfr"[short:short+1])
		case r == '"', r == '\\', strings.ContainsRune(s.slashed, r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// code writes \uXXXX, two of them for what is beyond the first plane.
func (s style) code(b *strings.Builder, r rune) {
	format := `\u%04x`
	if s.upper {
		format = `\u%04X`
	}
	for _, unit := range utf16.AppendRune(nil, r) {
		fmt.Fprintf(b, format, unit)
	}
}

// percented returns text as it stands in a URL, by what programs leave as it is
// besides letters and digits.
func percented(text string) []string {
	if plain(text) {
		return []string{text}
	}
	var all []string
	for _, keep := range []string{
		"-_.~",                 // RFC 3986: Go and Python for queries
		"-_.~/",                // Python for paths
		"-_.~$&+=:@",           // Go for paths
		"-_.!~*'()",            // JavaScript for parts
		"-_.!~*'();,/?:@&=+$#", // JavaScript for whole addresses
		"-_.*",                 // forms, as browsers and Java write them
	} {
		for _, format := range []string{"%%%02X", "%%%02x"} {
			escaped := percent(text, keep, format)
			all = append(all, escaped, strings.ReplaceAll(escaped, "%20", "+"))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func percent(text, keep, format string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if unreserved(rune(c)) || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, format, c)
		}
	}
	return b.String()
}
