package filters

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

func wrapFilters() []Filter {
	return []Filter{
		{Name: "indent", Params: "(width=4, first=false, blank=false)",
			Doc:     "Indents every line but the first by width blanks, or by a text; with first the first one too, with blank also empty ones.",
			Example: `{{ "a\nb" | indent(2) | tojson }} => "a\n  b"`, Apply: ofText(indent)},
		{Name: "wordwrap", Params: "(width=79, break_long_words=true, wrapstring='\\n', break_on_hyphens=true)",
			Doc:     "Breaks text into lines of at most width characters.",
			Example: `{{ "a nice cup of tea" | wordwrap(10) | tojson }} => "a nice cup\nof tea"`, Apply: ofText(wordWrap)},
	}
}

func indent(s string, a Args) (value.Value, error) {
	by, ok := a.Value("width").AsString()
	if !ok {
		width, err := a.Int("width")
		if err != nil {
			return value.Null(), err
		}
		if by, err = pad("", " ", width, 0); err != nil {
			return value.Null(), err
		}
	}
	lines := splitLines(s + "\n")
	if len(by) > 0 && len(lines) > (MaxOutput-len(s))/len(by) {
		return value.Null(), errTooLarge()
	}
	for i, line := range lines {
		if i == 0 && a.Truth("first") || i > 0 && (line != "" || a.Truth("blank")) {
			lines[i] = by + line
		}
	}
	return value.String(strings.Join(lines, "\n")), nil
}

// wrapper breaks one line after the other as Python's textwrap does.
type wrapper struct {
	width         int
	long, hyphens bool // break within long words, behind hyphens
	out           []string
	line          []string // chunks of the line that is being filled
	used          int
}

func wordWrap(s string, a Args) (value.Value, error) {
	width, err := a.Int("width")
	if err != nil {
		return value.Null(), err
	}
	if width < 1 {
		return value.Null(), failf("the argument width must be at least 1")
	}
	sep, err := a.Text("wrapstring")
	if err != nil {
		return value.Null(), err
	}
	var lines []string
	size := len(s)
	for _, line := range splitLines(s) {
		w := &wrapper{width: width, long: a.Truth("break_long_words"), hyphens: a.Truth("break_on_hyphens")}
		w.wrap(line)
		wrapped := strings.Join(w.out, sep)
		if size += (len(w.out) + 1) * len(sep); size > MaxOutput {
			return value.Null(), errTooLarge()
		}
		lines = append(lines, wrapped)
	}
	return value.String(strings.Join(lines, sep)), nil
}

func (w *wrapper) wrap(line string) {
	for _, c := range w.chunks(line) {
		w.place(c)
	}
	w.flush()
}

// place puts a chunk on the line, or on new ones.
func (w *wrapper) place(c string) {
	n := utf8.RuneCountInString(c)
	if w.used+n > w.width && w.used > 0 && n <= w.width {
		w.flush()
	}
	blank := strings.TrimSpace(c) == ""
	if blank && w.used == 0 && len(w.out) > 0 {
		return // no line but the first begins with blanks
	}
	for w.used+n > w.width && w.long && !blank {
		room := w.width - w.used
		head := firstRunes(c, room)
		if head != "" {
			w.line = append(w.line, head)
		}
		c = c[len(head):]
		n -= room
		w.flush()
	}
	if w.used+n > w.width {
		w.flush()
		if blank {
			return
		}
	}
	if c != "" {
		w.line = append(w.line, c)
		w.used += n
	}
}

func (w *wrapper) flush() {
	if n := len(w.line); n > 0 && strings.TrimSpace(w.line[n-1]) == "" {
		w.line = w.line[:n-1]
	}
	if len(w.line) > 0 {
		w.out = append(w.out, strings.Join(w.line, ""))
	}
	w.line, w.used = nil, 0
}

// chunks splits a line into words and the blanks between them; words also
// behind hyphens between letters.
func (w *wrapper) chunks(s string) []string {
	var out []string
	for s != "" {
		blank := unicode.IsSpace(firstRune(s))
		n := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) != blank })
		if n < 0 {
			n = len(s)
		}
		word := s[:n]
		s = s[n:]
		for w.hyphens && !blank {
			i := hyphenIn(word)
			if i < 0 {
				break
			}
			out = append(out, word[:i])
			word = word[i:]
		}
		out = append(out, word)
	}
	return out
}

// hyphenIn is where a word may be broken: behind a hyphen that has two letters
// before and one behind it, or -1.
func hyphenIn(word string) int {
	var before [2]rune
	for i, r := range word {
		if r == '-' && unicode.IsLetter(before[0]) && unicode.IsLetter(before[1]) && unicode.IsLetter(firstRune(word[i+1:])) {
			return i + 1
		}
		before[0], before[1] = before[1], r
	}
	return -1
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
