package object

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

func bytesMethods() []Method {
	return []Method{
		on("decode", bytesDecode), on("hex", bytesHex),
		on("startswith", bytesTest("startswith", strings.HasPrefix)),
		on("endswith", bytesTest("endswith", strings.HasSuffix)),
		on("strip", bytesStrip), on("split", bytesSplit), on("replace", bytesReplace),
		on("find", bytesFind), on("lower", bytesMap("lower", bytes.ToLower)), on("upper", bytesMap("upper", bytes.ToUpper)),
	}
}

// Encode is text.encode(encoding, errors).
func Encode(text, encoding, errors string) (string, error) {
	limit := rune(0)
	switch strings.ReplaceAll(strings.ToLower(encoding), "_", "-") {
	case "utf-8", "utf8":
		return text, nil
	case "ascii", "us-ascii":
		limit = 0x80
	case "latin-1", "latin1", "iso-8859-1":
		limit = 0x100
	default:
		return "", Errorf("LookupError", "unknown encoding: %s", encoding).WithHint("utf-8, ascii and latin-1 are there")
	}
	var b strings.Builder
	i := -1
	for _, r := range text {
		i++
		switch {
		case r < limit:
			b.WriteByte(byte(r))
		case errors == "ignore":
		case errors == "replace":
			b.WriteByte('?')
		default:
			name := "ascii"
			if limit > 0x80 {
				name = "latin-1"
			}
			return "", Errorf("UnicodeEncodeError", "'%s' codec can't encode character '%s' in position %d: ordinal not in range(%d)",
				name, strings.Trim(ASCII(quote(string(r))), "'"), i, limit)
		}
	}
	return b.String(), nil
}

func bytesDecode(t *Thread, b Bytes, a Args) (Object, error) {
	var enc, errs Object = NewStr("utf-8"), NewStr("strict")
	if err := a.Bind("decode", "encoding? errors?", &enc, &errs); err != nil {
		return nil, err
	}
	s, err := Decode(string(b), plainStr(enc), plainStr(errs))
	if err != nil {
		return nil, err
	}
	return t.Str(s)
}

// Decode is b.decode(encoding, errors).
func Decode(b, encoding, errors string) (string, error) {
	switch strings.ReplaceAll(strings.ToLower(encoding), "_", "-") {
	case "latin-1", "latin1", "iso-8859-1":
		out := make([]rune, len(b))
		for i := range len(b) {
			out[i] = rune(b[i])
		}
		return string(out), nil
	case "utf-8", "utf8", "ascii", "us-ascii":
	default:
		return "", Errorf("LookupError", "unknown encoding: %s", encoding).WithHint("utf-8, ascii and latin-1 are there")
	}
	if utf8.ValidString(b) {
		return b, nil
	}
	switch errors {
	case "ignore":
		return strings.ToValidUTF8(b, ""), nil
	case "replace":
		return string([]rune(b)), nil
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRuneInString(b[i:])
		if r == utf8.RuneError && n == 1 {
			return "", Errorf("UnicodeDecodeError", "'utf-8' codec can't decode byte 0x%02x in position %d: invalid start byte", b[i], i)
		}
		i += n
	}
	return b, nil
}

func bytesHex(t *Thread, b Bytes, a Args) (Object, error) {
	if err := a.Bind("hex", ""); err != nil {
		return nil, err
	}
	return t.Str(hex.EncodeToString([]byte(b)))
}

func bytesArg(o Object) (string, error) {
	b, ok := o.(Bytes)
	if !ok {
		return "", TypeErrorf("a bytes-like object is required, not '%s'", o.TypeName())
	}
	return string(b), nil
}

// BytesArg returns the content of a bytes object, with Python's error for
// anything else.
func BytesArg(o Object) (string, error) { return bytesArg(o) }

func bytesTest(name string, has func(s, x string) bool) func(*Thread, Bytes, Args) (Object, error) {
	return func(_ *Thread, b Bytes, a Args) (Object, error) {
		var x Object
		if err := a.Bind(name, "prefix /", &x); err != nil {
			return nil, err
		}
		want, err := bytesArg(x)
		return Bool(err == nil && has(string(b), want)), err
	}
}

func bytesStrip(_ *Thread, b Bytes, a Args) (Object, error) {
	return Bytes(strings.Trim(string(b), " \t\n\r\v\f")), a.Bind("strip", "")
}

func bytesSplit(t *Thread, b Bytes, a Args) (Object, error) {
	var sep Object
	if err := a.Bind("split", "sep?", &sep); err != nil {
		return nil, err
	}
	var parts []string
	if IsNone(sep) {
		parts = strings.Fields(string(b))
	} else {
		s, err := bytesArg(sep)
		if err != nil {
			return nil, err
		}
		if s == "" {
			return nil, ValueErrorf("empty separator")
		}
		parts = strings.Split(string(b), s)
	}
	if err := t.AllocN(len(parts), headSize); err != nil {
		return nil, err
	}
	items := make([]Object, len(parts))
	for i, p := range parts {
		items[i] = Bytes(p)
	}
	return &List{items: items}, nil
}

func bytesReplace(t *Thread, b Bytes, a Args) (Object, error) {
	var o, n Object
	if err := a.Bind("replace", "old new /", &o, &n); err != nil {
		return nil, err
	}
	from, err := bytesArg(o)
	if err != nil {
		return nil, err
	}
	to, err := bytesArg(n)
	if err != nil {
		return nil, err
	}
	if err := t.AllocN(strings.Count(string(b), from)+1, len(to)+len(b)/64+1); err != nil {
		return nil, err
	}
	return Bytes(strings.ReplaceAll(string(b), from, to)), nil
}

func bytesFind(_ *Thread, b Bytes, a Args) (Object, error) {
	var x Object
	if err := a.Bind("find", "sub /", &x); err != nil {
		return nil, err
	}
	sub, err := bytesArg(x)
	if err != nil {
		return nil, err
	}
	return Int(strings.Index(string(b), sub)), nil
}

func bytesMap(name string, fn func([]byte) []byte) func(*Thread, Bytes, Args) (Object, error) {
	return func(t *Thread, b Bytes, a Args) (Object, error) {
		if err := t.Alloc(int64(len(b))); err != nil {
			return nil, err
		}
		for i := range len(b) {
			if b[i] >= utf8.RuneSelf {
				return nil, ValueErrorf("bytes.%s() works on ASCII only here (found %s)", name, fmt.Sprintf("0x%02x", b[i]))
			}
		}
		return Bytes(fn([]byte(b))), a.Bind(name, "")
	}
}
