package object

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func strMethods() []Method {
	ms := []Method{
		on("split", strSplit), on("rsplit", strRSplit), on("splitlines", strSplitLines),
		on("join", strJoin), on("replace", strReplace), on("count", strCount),
		on("find", finder("find", strings.Index, false)), on("rfind", finder("rfind", strings.LastIndex, false)),
		on("index", finder("index", strings.Index, true)), on("rindex", finder("rindex", strings.LastIndex, true)),
		on("startswith", affix("startswith", strings.HasPrefix)), on("endswith", affix("endswith", strings.HasSuffix)),
		on("strip", stripper("strip", true, true)), on("lstrip", stripper("lstrip", true, false)),
		on("rstrip", stripper("rstrip", false, true)),
		on("removeprefix", remover("removeprefix", strings.TrimPrefix)),
		on("removesuffix", remover("removesuffix", strings.TrimSuffix)),
		on("partition", partition("partition", strings.Index)),
		on("rpartition", partition("rpartition", strings.LastIndex)),
		on("center", justify("center", '^')), on("ljust", justify("ljust", '<')), on("rjust", justify("rjust", '>')),
		on("zfill", strZfill), on("expandtabs", strExpandTabs),
		on("format", strFormat), on("format_map", strFormatMap), on("encode", strEncode),
		on("translate", strTranslate),
	}
	for name, fn := range map[string]func(string) string{
		"lower": strings.ToLower, "upper": upper, "title": title, "capitalize": capitalize,
		"casefold": casefold, "swapcase": swapcase,
	} {
		ms = append(ms, on(name, mapper(name, fn)))
	}
	return append(ms, strPredicates()...)
}

// mapper makes a method of a function on text.
func mapper(name string, fn func(string) string) func(*Thread, *Str, Args) (Object, error) {
	return func(t *Thread, s *Str, a Args) (Object, error) {
		if err := a.Bind(name, ""); err != nil {
			return nil, err
		}
		if err := t.Work(len(s.s)); err != nil {
			return nil, err
		}
		return t.Str(fn(s.s))
	}
}

func upper(s string) string {
	if strings.Contains(s, "ß") {
		s = strings.ReplaceAll(s, "ß", "SS")
	}
	return strings.ToUpper(s)
}

func casefold(s string) string {
	if strings.ContainsAny(s, "ßςẞ") {
		s = strings.NewReplacer("ß", "ss", "ẞ", "ss", "ς", "σ").Replace(s)
	}
	return strings.ToLower(s)
}

func title(s string) string {
	inWord := false
	return strings.Map(func(r rune) rune {
		cased := unicode.IsLower(r) || unicode.IsUpper(r) || unicode.IsTitle(r)
		was := inWord
		inWord = cased
		if was {
			return unicode.ToLower(r)
		}
		return unicode.ToTitle(r)
	}, s)
}

func capitalize(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	if r == 'ß' {
		return "Ss" + strings.ToLower(s[n:])
	}
	return string(unicode.ToTitle(r)) + strings.ToLower(s[n:])
}

func swapcase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}

// text is the argument o as text, with Python's error when it is not a string.
func text(o Object, what string) (string, error) {
	s, ok := o.(*Str)
	if !ok {
		return "", TypeErrorf("%s must be str, not %s", what, o.TypeName())
	}
	return s.s, nil
}

func finder(name string, find func(s, sub string) int, must bool) func(*Thread, *Str, Args) (Object, error) {
	return func(t *Thread, s *Str, a Args) (Object, error) {
		var sub, lo, hi Object
		if err := a.Bind(name, "sub start? end? /", &sub, &lo, &hi); err != nil {
			return nil, err
		}
		want, err := text(sub, name+"() argument 1")
		if err != nil {
			return nil, err
		}
		part, start, ok, err := window(t, s, lo, hi)
		if err != nil {
			return nil, err
		}
		i := -1
		if ok {
			i = find(part.s, want)
		}
		switch {
		case i >= 0:
			return Int(start + part.offset(i)), nil
		case must:
			return nil, ValueErrorf("substring not found")
		}
		return Int(-1), nil
	}
}

// window is s[lo:hi] and where it starts; ok is false when lo is past the end,
// where not even the empty string is found.
func window(t *Thread, s *Str, lo, hi Object) (part *Str, start int, ok bool, err error) {
	if err := t.Work(len(s.s)); err != nil {
		return nil, 0, false, err
	}
	if IsNone(lo) && IsNone(hi) {
		return s, 0, true, nil
	}
	length := s.Len()
	if n, isInt := AsInt(orNone(lo)); isInt && n > length {
		return s, 0, false, nil
	}
	start, _, n, err := (&Slice{Lo: lo, Hi: hi}).bounds(length)
	if err != nil {
		return nil, 0, false, err
	}
	stop, err := clampIndex(hi, length, length, 0, length)
	return s.sub(start, start+n), start, stop >= start, err
}

func strCount(t *Thread, s *Str, a Args) (Object, error) {
	var sub, lo, hi Object
	if err := a.Bind("count", "sub start? end? /", &sub, &lo, &hi); err != nil {
		return nil, err
	}
	want, err := text(sub, "count() argument 1")
	if err != nil {
		return nil, err
	}
	part, _, ok, err := window(t, s, lo, hi)
	if err != nil || !ok {
		return Int(0), err
	}
	return Int(strings.Count(part.s, want)), nil
}

func affix(name string, has func(s, x string) bool) func(*Thread, *Str, Args) (Object, error) {
	return func(t *Thread, s *Str, a Args) (Object, error) {
		var x, lo, hi Object
		if err := a.Bind(name, "prefix start? end? /", &x, &lo, &hi); err != nil {
			return nil, err
		}
		part, _, ok, err := window(t, s, lo, hi)
		if err != nil {
			return nil, err
		}
		options := []Object{x}
		if u, isTuple := x.(*Tuple); isTuple {
			options = u.items
		}
		for _, o := range options {
			want, isStr := o.(*Str)
			if !isStr {
				return nil, TypeErrorf("%s first arg must be str or a tuple of str, not %s", name, o.TypeName())
			}
			if ok && has(part.s, want.s) {
				return True, nil
			}
		}
		return False, nil
	}
}

// isSpace is str.isspace for one character.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

func stripper(name string, left, right bool) func(*Thread, *Str, Args) (Object, error) {
	return func(t *Thread, s *Str, a Args) (Object, error) {
		var chars Object
		if err := a.Bind(name, "chars? /", &chars); err != nil {
			return nil, err
		}
		drop := isSpace
		if !IsNone(chars) {
			set, ok := chars.(*Str)
			if !ok {
				return nil, TypeErrorf("%s arg must be None or str", name)
			}
			drop = func(r rune) bool { return strings.ContainsRune(set.s, r) }
		}
		out := s.s
		if left {
			out = strings.TrimLeftFunc(out, drop)
		}
		if right {
			out = strings.TrimRightFunc(out, drop)
		}
		if len(out) == len(s.s) {
			return s, t.Work(len(out))
		}
		return t.Str(out)
	}
}

func remover(name string, trim func(s, x string) string) func(*Thread, *Str, Args) (Object, error) {
	return func(t *Thread, s *Str, a Args) (Object, error) {
		var x Object
		if err := a.Bind(name, "prefix /", &x); err != nil {
			return nil, err
		}
		cut, err := text(x, name+"() argument")
		if err != nil {
			return nil, err
		}
		return t.Str(trim(s.s, cut))
	}
}

func partition(name string, find func(s, sep string) int) func(*Thread, *Str, Args) (Object, error) {
	return func(t *Thread, s *Str, a Args) (Object, error) {
		var x Object
		if err := a.Bind(name, "sep /", &x); err != nil {
			return nil, err
		}
		sep, err := text(x, "must be str: separator")
		if err != nil {
			return nil, err
		}
		if sep == "" {
			return nil, ValueErrorf("empty separator")
		}
		if err := t.Alloc(int64(len(s.s)) + 3*headSize); err != nil {
			return nil, err
		}
		i := find(s.s, sep)
		empty := NewStr("")
		switch {
		case i >= 0:
			return NewTuple(NewStr(s.s[:i]), x, NewStr(s.s[i+len(sep):])), nil
		case name == "partition":
			return NewTuple(s, empty, empty), nil
		}
		return NewTuple(empty, empty, s), nil
	}
}

func justify(name string, align byte) func(*Thread, *Str, Args) (Object, error) {
	return func(t *Thread, s *Str, a Args) (Object, error) {
		var w, f Object
		if err := a.Bind(name, "width fillchar? /", &w, &f); err != nil {
			return nil, err
		}
		width, err := IntArg(w)
		if err != nil {
			return nil, err
		}
		fill := ' '
		if f != nil {
			c, ok := f.(*Str)
			if !ok || c.Len() != 1 {
				return nil, TypeErrorf("The fill character must be exactly one character long")
			}
			fill, _ = utf8.DecodeRuneInString(c.s)
		}
		missing := width - s.Len()
		if missing <= 0 {
			return s, nil
		}
		if err := t.AllocN(missing, utf8.RuneLen(fill)); err != nil {
			return nil, err
		}
		if align == '^' { // CPython puts the odd one on the left when the width is odd
			left := missing/2 + (missing & width & 1)
			text := strings.Repeat(string(fill), left) + s.s + strings.Repeat(string(fill), missing-left)
			return NewStr(text), nil
		}
		return NewStr(pad(s.s, width, fill, align)), nil
	}
}

func strZfill(t *Thread, s *Str, a Args) (Object, error) {
	var w Object
	if err := a.Bind("zfill", "width /", &w); err != nil {
		return nil, err
	}
	width, err := IntArg(w)
	if err != nil {
		return nil, err
	}
	missing := width - s.Len()
	if missing <= 0 {
		return s, nil
	}
	if err := t.Alloc(int64(missing)); err != nil {
		return nil, err
	}
	zeros := strings.Repeat("0", missing)
	if s.s != "" && (s.s[0] == '+' || s.s[0] == '-') {
		return NewStr(s.s[:1] + zeros + s.s[1:]), nil
	}
	return NewStr(zeros + s.s), nil
}

func strExpandTabs(t *Thread, s *Str, a Args) (Object, error) {
	var size Object = Int(8)
	if err := a.Bind("expandtabs", "tabsize?", &size); err != nil {
		return nil, err
	}
	tab, err := IntArg(size)
	if err != nil {
		return nil, err
	}
	tab = max(tab, 0)
	if err := t.AllocN(strings.Count(s.s, "\t"), tab); err != nil {
		return nil, err
	}
	var b strings.Builder
	col := 0
	for _, r := range s.s {
		switch r {
		case '\t':
			if tab > 0 {
				n := tab - col%tab
				b.WriteString(strings.Repeat(" ", n))
				col += n
			}
			continue
		case '\n', '\r':
			col = -1
		}
		b.WriteRune(r)
		col++
	}
	return t.Str(b.String())
}

func strTranslate(t *Thread, s *Str, a Args) (Object, error) {
	var table Object
	if err := a.Bind("translate", "table /", &table); err != nil {
		return nil, err
	}
	d, ok := table.(*Dict)
	if !ok {
		return nil, TypeErrorf("translate() needs a dict, as str.maketrans makes it")
	}
	var b strings.Builder
	for _, r := range s.s {
		v, ok, err := d.Get(t, Int(r))
		if err != nil {
			return nil, err
		}
		piece := string(r)
		switch x := v.(type) {
		case *Str:
			piece = x.s
		case Int:
			piece = string(rune(x))
		case NoneType:
			piece = ""
		}
		if ok {
			if err := t.Alloc(int64(len(piece))); err != nil {
				return nil, err
			}
		}
		b.WriteString(piece)
	}
	return t.Str(b.String())
}

func strEncode(t *Thread, s *Str, a Args) (Object, error) {
	var enc, errs Object = NewStr("utf-8"), NewStr("strict")
	if err := a.Bind("encode", "encoding? errors?", &enc, &errs); err != nil {
		return nil, err
	}
	b, err := Encode(s.s, plainStr(enc), plainStr(errs))
	if err != nil {
		return nil, err
	}
	return Bytes(b), t.Alloc(int64(len(b)))
}
