package object

import (
	"strconv"
	"strings"
)

// strFormat is str.format.
func strFormat(t *Thread, s *Str, a Args) (Object, error) {
	f := fieldFormatter{t: t, args: a}
	text, err := f.expand(s.s, 2)
	if err != nil {
		return nil, err
	}
	return t.Str(text)
}

func strFormatMap(t *Thread, s *Str, a Args) (Object, error) {
	var m Object
	if err := a.Bind("format_map", "mapping /", &m); err != nil {
		return nil, err
	}
	f := fieldFormatter{t: t, mapping: m}
	text, err := f.expand(s.s, 2)
	if err != nil {
		return nil, err
	}
	return t.Str(text)
}

type fieldFormatter struct {
	t       *Thread
	args    Args
	mapping Object
	auto    int // the next field without a number; -1 once numbers are used
}

func (f *fieldFormatter) expand(s string, depth int) (string, error) {
	if depth < 0 {
		return "", ValueErrorf("Max string recursion exceeded")
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		j := strings.IndexAny(s[i:], "{}")
		if j < 0 {
			b.WriteString(s[i:])
			break
		}
		b.WriteString(s[i : i+j])
		i += j
		if i+1 < len(s) && s[i+1] == s[i] {
			b.WriteByte(s[i])
			i += 2
			continue
		}
		if s[i] == '}' {
			return "", ValueErrorf("Single '}' encountered in format string")
		}
		end := fieldEnd(s, i+1)
		if end < 0 {
			return "", ValueErrorf("expected '}' before end of string")
		}
		text, err := f.field(s[i+1:end], depth)
		if err != nil {
			return "", err
		}
		if err := f.t.Alloc(int64(len(text))); err != nil {
			return "", err
		}
		b.WriteString(text)
		i = end + 1
	}
	return b.String(), nil
}

// fieldEnd finds the brace that closes the field that begins at i.
func fieldEnd(s string, i int) int {
	for depth := 1; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (f *fieldFormatter) field(s string, depth int) (string, error) {
	name, spec, _ := strings.Cut(s, ":")
	name, conv, hasConv := strings.Cut(name, "!")
	o, err := f.value(name)
	if err != nil {
		return "", err
	}
	if hasConv {
		if o, err = Convert(f.t, o, conv); err != nil {
			return "", err
		}
	}
	if spec, err = f.expand(spec, depth-1); err != nil {
		return "", err
	}
	return Format(f.t, o, spec)
}

// Convert applies a conversion of a format field: s, r or a.
func Convert(t *Thread, o Object, conv string) (Object, error) {
	var text string
	var err error
	switch conv {
	case "s":
		text, err = ToStr(t, o)
	case "r":
		text, err = Repr(t, o)
	case "a":
		text, err = Repr(t, o)
		text = ASCII(text)
	default:
		return nil, ValueErrorf("Unknown conversion specifier '%s'", conv)
	}
	return NewStr(text), err
}

// value finds what a field name such as a.b[0] stands for.
func (f *fieldFormatter) value(name string) (Object, error) {
	cut := strings.IndexAny(name, ".[")
	first, rest := name, ""
	if cut >= 0 {
		first, rest = name[:cut], name[cut:]
	}
	o, err := f.first(first)
	for err == nil && rest != "" {
		o, rest, err = f.step(o, rest)
	}
	return o, err
}

func (f *fieldFormatter) first(name string) (Object, error) {
	if f.mapping != nil {
		return GetItem(f.t, f.mapping, NewStr(name))
	}
	n, err := strconv.Atoi(name)
	switch {
	case name == "":
		if f.auto < 0 {
			return nil, ValueErrorf("cannot switch from manual field specification to automatic field numbering")
		}
		n = f.auto
		f.auto++
	case err == nil:
		if f.auto > 0 {
			return nil, ValueErrorf("cannot switch from automatic field numbering to manual field specification")
		}
		f.auto = -1
	default:
		if v := f.args.named(name); v != nil {
			return v, nil
		}
		known := make([]string, len(f.args.Kw))
		for i, kw := range f.args.Kw {
			known[i] = kw.Name
		}
		e := &Exception{Kind: "KeyError", Args: []Object{NewStr(name)}}
		return nil, e.suggest(name, known)
	}
	if n < 0 || n >= len(f.args.Pos) {
		return nil, Errorf("IndexError", "Replacement index %d out of range for positional args tuple", n)
	}
	return f.args.Pos[n], nil
}

// step follows one .name or [index].
func (f *fieldFormatter) step(o Object, s string) (v Object, rest string, err error) {
	if s[0] == '.' {
		s = s[1:]
		cut := strings.IndexAny(s, ".[")
		if cut < 0 {
			cut = len(s)
		}
		v, err = GetAttr(f.t, o, s[:cut])
		return v, s[cut:], err
	}
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return nil, "", ValueErrorf("Missing ']' in format string")
	}
	var key Object = NewStr(s[1:end])
	if n, err := strconv.Atoi(s[1:end]); err == nil && n >= 0 {
		key = Int(n)
	}
	v, err = GetItem(f.t, o, key)
	rest = s[end+1:]
	if err == nil && rest != "" && rest[0] != '.' && rest[0] != '[' {
		err = ValueErrorf("Only '.' or '[' may follow ']' in format field specifier")
	}
	return v, rest, err
}
