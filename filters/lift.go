package filters

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lifter goes through a template and takes the expressions out. What it leaves
// is the skeleton, which pongo2 runs: text, if, for, and calls of one function,
// f(what, number), for all else.
type lifter struct {
	t        *Template
	src      string
	pos      int
	skeleton strings.Builder
	text     strings.Builder // text not yet in the skeleton
	trim     bool            // the tag before trims the text that follows
	tags     int             // expressions and tags so far
	blocks   []block         // open ones
	scopes   []map[string]bool
	errs     Errors
}

// block is a tag that waits for its end.
type block struct {
	name string // if, for or set
	off  int
	els  bool // its else was there
	n    int  // number of the for or set
}

// What the skeleton asks for by f(what, number).
const (
	doText = iota
	doPrint
	doTest
	doLoop
	doNext
	doEndLoop
	doSet
	doCapture
)

// lift fills t from its source.
func lift(t *Template) error {
	l := &lifter{t: t, src: t.src, scopes: []map[string]bool{{}}}
	// As in Jinja2, one newline at the end does not count.
	l.src = strings.TrimSuffix(l.src, "\n")
	for l.pos < len(l.src) {
		l.step()
	}
	for _, b := range l.blocks {
		l.fail(failAt(b.off, "{%% %s %%} has no {%% end%s %%}", b.name, b.name))
	}
	if len(l.errs) > 0 {
		slices.SortStableFunc(l.errs, func(a, b *Error) int { return a.Offset - b.Offset })
		return l.errs.err()
	}
	return l.finish()
}

// finish decides how the template is run.
func (l *lifter) finish() error {
	t := l.t
	if l.tags == 0 {
		t.fixed, t.text = true, l.text.String()
		return nil
	}
	if l.tags == 1 && len(t.exprs) == 1 && l.skeleton.String() == l.call(doPrint, 0) && l.text.Len() == 0 {
		t.single = &t.exprs[0]
		return nil
	}
	l.flush()
	body, err := t.set.skeleton(l.skeleton.String())
	if err != nil {
		return locate(t.src, failAt(0, "the template cannot be compiled: %s", err))
	}
	t.body = body
	return nil
}

func (l *lifter) fail(err error) {
	if err != nil {
		l.errs = append(l.errs, locate(l.t.src, err))
	}
}

// step takes the text up to the next tag, and the tag.
func (l *lifter) step() {
	open := nextTag(l.src, l.pos)
	text := l.src[l.pos:open]
	if l.trim {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		l.trim = false
	}
	if open == len(l.src) {
		l.text.WriteString(text)
		l.pos = open
		return
	}
	inside := open + 2
	if inside < len(l.src) && (l.src[inside] == '-' || l.src[inside] == '+') {
		if l.src[inside] == '-' {
			text = strings.TrimRightFunc(text, unicode.IsSpace)
		}
		inside++
	}
	l.text.WriteString(text)
	switch l.src[open+1] {
	case '{':
		l.print(inside)
	case '%':
		l.tag(open, inside)
	default:
		l.comment(open, inside)
	}
}

// nextTag is where the next {{, {% or {# begins, or the end.
func nextTag(src string, from int) int {
	for i := from; ; i++ {
		j := strings.IndexByte(src[i:], '{')
		if j < 0 || i+j+1 >= len(src) {
			return len(src)
		}
		i += j
		if c := src[i+1]; c == '{' || c == '%' || c == '#' {
			return i
		}
	}
}

func (l *lifter) comment(open, inside int) {
	end := strings.Index(l.src[inside:], "#}")
	if end < 0 {
		l.fail(failAt(open, "the comment is not closed: #} is missing"))
		l.pos = len(l.src)
		return
	}
	l.trim = end > 0 && l.src[inside+end-1] == '-'
	l.pos = inside + end + 2
}

func (l *lifter) print(inside int) {
	l.tags++
	tokens, next, trim, err := lexExpr(l.src, inside, "}}")
	l.pos, l.trim = next, trim
	if err != nil {
		l.fail(err)
		return
	}
	n, err := l.t.set.parse(tokens)
	if err != nil {
		l.fail(err)
		return
	}
	l.emit(doPrint, l.expr(n))
}

// expr remembers an expression and returns its number.
func (l *lifter) expr(n node) int {
	l.t.exprs = append(l.t.exprs, l.compiled(n))
	return len(l.t.exprs) - 1
}

func (l *lifter) compiled(n node) compiled {
	l.t.refs.collect(n, l.local)
	return compile(n)
}

// local tells whether the template itself defines a name.
func (l *lifter) local(name string) bool {
	for _, s := range l.scopes {
		if s[name] {
			return true
		}
	}
	return false
}

func (l *lifter) define(t target) {
	if t.name != "" {
		l.scopes[len(l.scopes)-1][t.name] = true
	}
	for _, p := range t.parts {
		l.define(p)
	}
}

func (l *lifter) call(what, n int) string { return fmt.Sprintf("{{ f(%d,%d) }}", what, n) }

// emit puts a call into the skeleton.
func (l *lifter) emit(what, n int) { l.write(l.call(what, n)) }

func (l *lifter) write(s string) {
	l.flush()
	l.skeleton.WriteString(s)
}

// flush moves text to the skeleton; what pongo2 could take for its own syntax
// goes beside it.
func (l *lifter) flush() {
	text := l.text.String()
	l.text.Reset()
	if text == "" {
		return
	}
	if strings.ContainsAny(text, "{}%#\x00") || !utf8.ValidString(text) {
		l.t.texts = append(l.t.texts, text)
		text = l.call(doText, len(l.t.texts)-1)
	}
	l.skeleton.WriteString(text)
}

var endRaw = regexp.MustCompile(`\{%([-+]?)\s*endraw\s*([-+]?)%\}`)

// raw takes everything up to endraw as text.
func (l *lifter) raw(off int) {
	loc := endRaw.FindStringSubmatchIndex(l.src[l.pos:])
	if loc == nil {
		l.fail(failAt(off, "{%% raw %%} has no {%% endraw %%}"))
		l.pos = len(l.src)
		return
	}
	text := l.src[l.pos : l.pos+loc[0]]
	if l.trim {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	sign := func(i int) bool { return l.src[l.pos+loc[i]:l.pos+loc[i+1]] == "-" }
	if sign(2) {
		text = strings.TrimRightFunc(text, unicode.IsSpace)
	}
	l.trim = sign(4)
	l.text.WriteString(text)
	l.pos += loc[1]
}
