package hostmod

import (
	"regexp"
	"strings"

	"github.com/tea-agents/tea/actions/run/python/object"
)

// The flags of re, with CPython's values.
const (
	flagI = 2
	flagM = 8
	flagS = 16
	flagX = 64
	flagA = 256
	flagU = 32
)

func reModule() *object.Module {
	fns := map[string]fn{"compile": reCompile, "escape": reEscape}
	for name, f := range map[string]func(*thread, *pattern, args) (obj, error){
		"search": patSearch, "match": patMatch, "fullmatch": patFullmatch, "findall": patFindall,
		"finditer": patFinditer, "sub": patSub, "subn": patSubn, "split": patSplit,
	} {
		fns[name] = withPattern(name, f)
	}
	return module("re", fns, map[string]obj{
		"IGNORECASE": object.Int(flagI), "I": object.Int(flagI), "MULTILINE": object.Int(flagM), "M": object.Int(flagM),
		"DOTALL": object.Int(flagS), "S": object.Int(flagS), "VERBOSE": object.Int(flagX), "X": object.Int(flagX),
		"ASCII": object.Int(flagA), "A": object.Int(flagA), "UNICODE": object.Int(flagU), "U": object.Int(flagU),
		"error": object.Type("re.error"), "Pattern": object.Type("re.Pattern"), "Match": object.Type("re.Match"),
	})
}

// pattern is a compiled regular expression.
type pattern struct {
	source string
	flags  int
	re     *regexp.Regexp
	start  *regexp.Regexp // anchored at the start
	full   *regexp.Regexp // anchored at both ends
}

// TypeName implements object.Object.
func (*pattern) TypeName() string { return "re.Pattern" }

// HashKey implements object.Hasher.
func (p *pattern) HashKey() object.Key {
	return object.HostKey("re.Pattern", string(rune(p.flags))+p.source)
}

// Repr implements object.Reprer.
func (p *pattern) Repr(*object.Thread) (string, error) {
	return "re.compile(" + object.Quote(p.source) + ")", nil
}

// Attr implements object.Attributer.
func (p *pattern) Attr(t *object.Thread, name string) (obj, bool, error) {
	switch name {
	case "pattern":
		return object.NewStr(p.source), true, nil
	case "flags":
		return object.Int(p.flags | flagU), true, nil
	case "groups":
		return object.Int(p.re.NumSubexp()), true, nil
	}
	m, ok := t.World.Method("re.Pattern", name)
	return &object.Bound{Self: p, Method: m}, ok, nil
}

func compilePattern(t *thread, source string, flags int) (*pattern, error) {
	const longest = 1 << 16
	if len(source) > longest {
		return nil, object.Errorf("re.error", "the pattern is longer than %d bytes", longest)
	}
	if err := t.Step(uint64(len(source)) + 10); err != nil {
		return nil, err
	}
	text, err := translatePattern(source, flags&flagX != 0)
	if err != nil {
		return nil, err
	}
	prefix := ""
	for _, f := range []struct {
		bit  int
		name string
	}{{flagI, "i"}, {flagM, "m"}, {flagS, "s"}} {
		if flags&f.bit != 0 {
			prefix += f.name
		}
	}
	if prefix != "" {
		prefix = "(?" + prefix + ")"
	}
	p := &pattern{source: source, flags: flags}
	if p.re, err = regexp.Compile(prefix + text); err != nil {
		return nil, object.Errorf("re.error", "%s", strings.TrimPrefix(err.Error(), "error parsing regexp: ")).
			WithHint("regular expressions follow Go's syntax here")
	}
	if err := t.Alloc(int64(len(source)) * 400); err != nil {
		return nil, err
	}
	if p.start, err = regexp.Compile(prefix + `\A(?:` + text + `)`); err != nil {
		return nil, object.Errorf("re.error", "%v", err)
	}
	if p.full, err = regexp.Compile(prefix + `\A(?:` + text + `)\z`); err != nil {
		return nil, object.Errorf("re.error", "%v", err)
	}
	return p, nil
}

// translatePattern turns Python's notation into Go's, and refuses what Go does
// not have.
func translatePattern(s string, verbose bool) (string, error) { //nolint:cyclop // a scanner: one case for each construct
	var b strings.Builder
	class := false
	for i := 0; i < len(s); i++ {
		rest := s[i:]
		switch c := s[i]; {
		case c == '\\' && len(rest) > 1:
			text, err := translateEscape(rest[1], class)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			i++
		case class:
			class = c != ']' || s[i-1] == '[' || s[i-1] == '^' && s[i-2] == '['
			if c == '[' && !strings.HasPrefix(rest, "[:") {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case c == '[':
			class = true
			b.WriteByte(c)
		case unsupportedGroup(rest) != "":
			return "", object.Errorf("re.error", "%s is not supported at position %d", unsupportedGroup(rest), i).
				WithHint("use `language: python3`")
		case c == '$':
			b.WriteString(`$`)
		case verbose && strings.IndexByte(" \t\n\r\f\v", c) >= 0:
		case verbose && c == '#':
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				i += end
			} else {
				i = len(s)
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

func unsupportedGroup(s string) string {
	for prefix, name := range map[string]string{
		"(?=": "lookahead", "(?!": "lookahead", "(?<=": "lookbehind", "(?<!": "lookbehind",
		"(?P=": "a backreference", "(?(": "a conditional group", "(?>": "an atomic group", "(?#": "a comment group",
		"*+": "a possessive quantifier", "++": "a possessive quantifier", "?+": "a possessive quantifier",
	} {
		if strings.HasPrefix(s, prefix) {
			return name
		}
	}
	return ""
}

// translateEscape translates \c. Python's classes know Unicode, Go's do not.
func translateEscape(c byte, class bool) (string, error) { //nolint:cyclop // a table: one case for each escape
	switch {
	case c == 'Z':
		return `\z`, nil
	case c == 'd' && class:
		return `\p{Nd}`, nil
	case c == 'd':
		return `\p{Nd}`, nil
	case c == 'D':
		return `\P{Nd}`, nil
	case c == 'w' && class:
		return `\p{L}\p{N}_`, nil
	case c == 'w':
		return `[\p{L}\p{N}_]`, nil
	case c == 'W' && !class:
		return `[^\p{L}\p{N}_]`, nil
	case c == 's' && class:
		return `\s\v\x{85}\x{a0}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`, nil
	case c == 's':
		return `[\s\v\x{85}\x{a0}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]`, nil
	case c == 'S' && !class:
		return `[^\s\v\x{85}\x{a0}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]`, nil
	case c >= '1' && c <= '9':
		return "", object.Errorf("re.error", "a backreference (\\%c) is not supported", c).WithHint("use `language: python3`")
	case c == ' ' || c == '"' || c == '\'' || c == '#' || c == '@' || c == '%' || c == '&' || c == '/' || c == ':' ||
		c == ';' || c == '<' || c == '>' || c == '=' || c == '!' || c == ',' || c == '~' || c == '`' || c == '_' && class:
		return regexp.QuoteMeta(string(c)), nil
	case c >= 0x80:
		return string([]byte{c}), nil
	}
	return `\` + string(c), nil
}

func reCompile(t *thread, a args) (obj, error) {
	var p, flags obj
	if err := a.Bind("compile", "pattern flags?", &p, &flags); err != nil {
		return nil, err
	}
	return patternOf(t, p, flags)
}

func patternOf(t *thread, p, flags obj) (*pattern, error) {
	if c, ok := p.(*pattern); ok {
		return c, nil
	}
	source, ok := object.AsStr(p)
	if !ok {
		return nil, object.TypeErrorf("first argument must be string or compiled pattern")
	}
	n, err := intOr(flags, 0)
	if err != nil {
		return nil, err
	}
	return compilePattern(t, source, n)
}

func reEscape(t *thread, a args) (obj, error) {
	s, err := bindStr(a, "escape", "pattern")
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte("()[]{}?*+-|^$\\.&~# \t\n\r\v\f", s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return t.Str(b.String())
}

// withPattern makes a function of the module of a method of patterns: the
// pattern comes first, flags may be given by name or last.
func withPattern(name string, f func(*thread, *pattern, args) (obj, error)) fn {
	most := map[string]int{"sub": 4, "subn": 4, "split": 3}[name]
	if most == 0 {
		most = 2
	}
	return func(t *thread, a args) (obj, error) {
		var flags obj
		rest := args{Pos: a.Pos}
		for _, kw := range a.Kw {
			switch {
			case kw.Name == "flags":
				flags = kw.Value
			case kw.Name == "pattern" && len(rest.Pos) == 0:
				rest.Pos = []obj{kw.Value}
			default:
				rest.Kw = append(rest.Kw, kw)
			}
		}
		if len(rest.Pos) == 0 {
			return nil, object.TypeErrorf("%s() missing 1 required positional argument: 'pattern'", name)
		}
		if len(rest.Pos) > most && flags == nil {
			flags, rest.Pos = rest.Pos[most], rest.Pos[:most]
		}
		p, err := patternOf(t, rest.Pos[0], flags)
		if err != nil {
			return nil, err
		}
		rest.Pos = rest.Pos[1:]
		return f(t, p, rest)
	}
}

func patternMethods() []object.Method {
	return []object.Method{
		object.On("search", patSearch), object.On("match", patMatch), object.On("fullmatch", patFullmatch),
		object.On("findall", patFindall), object.On("finditer", patFinditer), object.On("sub", patSub),
		object.On("subn", patSubn), object.On("split", patSplit),
	}
}

func subject(t *thread, a args, name string) (*object.Str, error) {
	var x obj
	if err := a.Bind(name, "string", &x); err != nil {
		return nil, err
	}
	s, ok := x.(*object.Str)
	if !ok {
		return nil, object.TypeErrorf("expected string or bytes-like object, got '%s'", x.TypeName())
	}
	return s, t.Step(uint64(len(s.Text())/4) + 1)
}

func patSearch(t *thread, p *pattern, a args) (obj, error) { return find(t, p, p.re, a, "search") }
func patMatch(t *thread, p *pattern, a args) (obj, error)  { return find(t, p, p.start, a, "match") }
func patFullmatch(t *thread, p *pattern, a args) (obj, error) {
	return find(t, p, p.full, a, "fullmatch")
}

func find(t *thread, p *pattern, re *regexp.Regexp, a args, name string) (obj, error) {
	s, err := subject(t, a, name)
	if err != nil {
		return nil, err
	}
	loc := re.FindStringSubmatchIndex(s.Text())
	if loc == nil {
		return object.None(), nil
	}
	return &match{p: p, s: s, loc: loc}, t.Alloc(int64(16 * len(loc)))
}

// all finds every match, as Python does also empty ones right after others.
func all(t *thread, p *pattern, s *object.Str) ([]*match, error) {
	size := 64 + 16*(p.re.NumSubexp()+1)
	locs := p.re.FindAllStringSubmatchIndex(s.Text(), t.Room(size)+1)
	if err := t.AllocN(len(locs), size); err != nil {
		return nil, err
	}
	out := make([]*match, len(locs))
	for i, loc := range locs {
		out[i] = &match{p: p, s: s, loc: loc}
	}
	return out, t.Step(uint64(len(locs)))
}

func patFindall(t *thread, p *pattern, a args) (obj, error) {
	s, err := subject(t, a, "findall")
	if err != nil {
		return nil, err
	}
	ms, err := all(t, p, s)
	if err != nil {
		return nil, err
	}
	items := make([]obj, len(ms))
	for i, m := range ms {
		switch n := p.re.NumSubexp(); n {
		case 0, 1:
			items[i] = orEmpty(m.group(n))
		default:
			parts := make([]obj, n)
			for g := range parts {
				parts[g] = orEmpty(m.group(g + 1))
			}
			items[i] = object.NewTuple(parts...)
		}
	}
	return t.List(items)
}

func orEmpty(x obj) obj {
	if object.IsNone(x) {
		return object.NewStr("")
	}
	return x
}

func patFinditer(t *thread, p *pattern, a args) (obj, error) {
	s, err := subject(t, a, "finditer")
	if err != nil {
		return nil, err
	}
	ms, err := all(t, p, s)
	if err != nil {
		return nil, err
	}
	items := make([]obj, len(ms))
	for i, m := range ms {
		items[i] = m
	}
	return &object.Iter{Name: "callable_iterator", It: object.SliceIter(items), Refs: items}, nil
}

func patSplit(t *thread, p *pattern, a args) (obj, error) {
	var x, m obj
	if err := a.Bind("split", "string maxsplit?", &x, &m); err != nil {
		return nil, err
	}
	s, err := subject(t, args{Pos: []obj{x}}, "split")
	if err != nil {
		return nil, err
	}
	limit, err := intOr(m, 0)
	if err != nil {
		return nil, err
	}
	ms, err := all(t, p, s)
	if err != nil {
		return nil, err
	}
	var items []obj
	last := 0
	for i, m := range ms {
		if limit > 0 && i >= limit {
			break
		}
		items = append(items, object.NewStr(s.Text()[last:m.loc[0]]))
		for g := 1; g <= p.re.NumSubexp(); g++ {
			items = append(items, m.group(g))
		}
		last = m.loc[1]
	}
	return t.List(append(items, object.NewStr(s.Text()[last:])))
}

func patSub(t *thread, p *pattern, a args) (obj, error) {
	text, _, err := substitute(t, p, a)
	if err != nil {
		return nil, err
	}
	return t.Str(text)
}

func patSubn(t *thread, p *pattern, a args) (obj, error) {
	text, n, err := substitute(t, p, a)
	if err != nil {
		return nil, err
	}
	return object.NewTuple(object.NewStr(text), object.Int(n)), nil
}

func substitute(t *thread, p *pattern, a args) (string, int, error) {
	var repl, x, c obj
	if err := a.Bind("sub", "repl string count?", &repl, &x, &c); err != nil {
		return "", 0, err
	}
	s, err := subject(t, args{Pos: []obj{x}}, "sub")
	if err != nil {
		return "", 0, err
	}
	limit, err := intOr(c, 0)
	if err != nil {
		return "", 0, err
	}
	ms, err := all(t, p, s)
	if err != nil {
		return "", 0, err
	}
	if limit > 0 && len(ms) > limit {
		ms = ms[:limit]
	}
	var b strings.Builder
	last := 0
	for _, m := range ms {
		b.WriteString(s.Text()[last:m.loc[0]])
		text, err := replacement(t, m, repl)
		if err != nil {
			return "", 0, err
		}
		if err := t.Alloc(int64(len(text))); err != nil {
			return "", 0, err
		}
		b.WriteString(text)
		last = m.loc[1]
	}
	b.WriteString(s.Text()[last:])
	return b.String(), len(ms), nil
}

func replacement(t *thread, m *match, repl obj) (string, error) {
	if template, ok := object.AsStr(repl); ok {
		return m.expand(template)
	}
	v, err := object.Call0(t, repl, m)
	if err != nil {
		return "", err
	}
	return strArg(v, "the function given to sub")
}
