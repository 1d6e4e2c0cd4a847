package interp

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/actions/run/python/object"
)

func constructors() map[string]func(*thread, args) (obj, error) {
	return map[string]func(*thread, args) (obj, error){
		"int": newInt, "float": newFloat, "str": newStr, "bool": newBool, "bytes": newBytes,
		"list": newList, "tuple": newTuple, "dict": newDict, "type": newType, "slice": newSlice,
		"set":       func(t *thread, a args) (obj, error) { return newSet(t, a, false) },
		"frozenset": func(t *thread, a args) (obj, error) { return newSet(t, a, true) },
		"range":     newRange, "enumerate": newEnumerate, "zip": newZip, "map": newMap, "filter": newFilter,
		"reversed": newReversed,
	}
}

func newInt(_ *thread, a args) (obj, error) {
	var x, b obj
	if err := a.Bind("int", "x? base?", &x, &b); err != nil {
		return nil, err
	}
	if x == nil {
		return object.Int(0), nil
	}
	if b != nil {
		base, err := object.IntArg(b)
		if err != nil {
			return nil, err
		}
		s, ok := object.AsStr(x)
		if !ok {
			return nil, object.TypeErrorf("int() can't convert non-string with explicit base")
		}
		return parseInt(s, base)
	}
	switch x := x.(type) {
	case object.Float:
		return object.FloatToInt(float64(x))
	case *object.Str:
		return parseInt(x.Text(), 10)
	case object.Bytes:
		return parseInt(string(x), 10)
	}
	if v, ok := object.BigOf(x); ok {
		return object.NewInt(v), nil
	}
	return nil, object.TypeErrorf("int() argument must be a string, a bytes-like object or a real number, not '%s'", x.TypeName())
}

func parseInt(s string, base int) (obj, error) {
	if base != 0 && base < 2 || base > 36 {
		return nil, object.ValueErrorf("int() base must be >= 2 and <= 36, or 0")
	}
	invalid := func() error {
		return object.ValueErrorf("invalid literal for int() with base %d: %s", base, object.Quote(s))
	}
	digits := strings.TrimSpace(s)
	if len(digits) > object.MaxIntDigits && base&(base-1) != 0 {
		return nil, object.ValueErrorf("Exceeds the limit (%d digits) for integer string conversion: value has %d digits", object.MaxIntDigits, len(digits))
	}
	sign := ""
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		sign, digits = strings.Trim(digits[:1], "+"), digits[1:]
	}
	base, digits = basePrefix(base, digits)
	if !plainDigits(digits) {
		return nil, invalid()
	}
	v, ok := new(big.Int).SetString(sign+strings.ReplaceAll(digits, "_", ""), base)
	if !ok {
		return nil, invalid()
	}
	return object.NewInt(v), nil
}

func newFloat(_ *thread, a args) (obj, error) {
	var x obj = object.Float(0)
	if err := a.Bind("float", "x? /", &x); err != nil {
		return nil, err
	}
	s, ok := object.AsStr(x)
	if !ok {
		if _, isNum := object.AsFloat(x); !isNum {
			return nil, object.TypeErrorf("float() argument must be a string or a real number, not '%s'", x.TypeName())
		}
		f, err := object.FloatArg(x)
		return object.Float(f), err
	}
	text := strings.ToLower(strings.TrimSpace(s))
	bad := object.ValueErrorf("could not convert string to float: %s", object.Quote(s))
	switch strings.TrimLeft(text, "+-") {
	case "inf", "infinity":
		if text[0] == '-' {
			return object.Float(math.Inf(-1)), nil
		}
		return object.Float(math.Inf(1)), nil
	case "nan":
		return object.Float(math.NaN()), nil
	}
	if strings.ContainsAny(text, "xpn") || strings.HasPrefix(text, "_") || strings.HasSuffix(text, "_") {
		return nil, bad
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil && !math.IsInf(f, 0) {
		return nil, bad
	}
	return object.Float(f), nil
}

func newStr(t *thread, a args) (obj, error) {
	var x, enc, errs obj
	if err := a.Bind("str", "object? encoding? errors?", &x, &enc, &errs); err != nil {
		return nil, err
	}
	if x == nil {
		return object.NewStr(""), nil
	}
	if enc != nil {
		b, err := object.BytesArg(x)
		if err != nil {
			return nil, err
		}
		e, _ := object.AsStr(enc)
		mode := "strict"
		if errs != nil {
			mode, _ = object.AsStr(errs)
		}
		s, err := object.Decode(b, e, mode)
		return object.NewStr(s), err
	}
	if s, ok := x.(*object.Str); ok {
		return s, nil
	}
	s, err := object.ToStr(t, x)
	return object.NewStr(s), err
}

func newBool(_ *thread, a args) (obj, error) {
	var x obj = object.False
	err := a.Bind("bool", "x? /", &x)
	return object.Bool(err == nil && object.Truth(x)), err
}

func newBytes(t *thread, a args) (obj, error) {
	var x, enc obj
	if err := a.Bind("bytes", "source? encoding?", &x, &enc); err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case nil:
		return object.Bytes(""), nil
	case object.Bytes:
		return x, nil
	case *object.Str:
		if enc == nil {
			return nil, object.TypeErrorf("string argument without an encoding")
		}
		e, _ := object.AsStr(enc)
		b, err := object.Encode(x.Text(), e, "strict")
		return object.Bytes(b), err
	case object.Int:
		if x < 0 {
			return nil, object.ValueErrorf("negative count")
		}
		if err := t.Alloc(int64(x)); err != nil {
			return nil, err
		}
		return object.Bytes(make([]byte, x)), nil
	}
	var out []byte
	err := object.Each(t, x, func(v obj) error {
		n, err := object.IntArg(v)
		if err != nil {
			return err
		}
		if n < 0 || n > 255 {
			return object.ValueErrorf("bytes must be in range(0, 256)")
		}
		out = append(out, byte(n))
		return t.Alloc(1)
	})
	return object.Bytes(out), err
}

func newList(t *thread, a args) (obj, error) {
	var x obj = object.NewTuple()
	if err := a.Bind("list", "iterable? /", &x); err != nil {
		return nil, err
	}
	items, err := object.Collect(t, x)
	return object.NewList(items), err
}

func newTuple(t *thread, a args) (obj, error) {
	var x obj = object.NewTuple()
	if err := a.Bind("tuple", "iterable? /", &x); err != nil {
		return nil, err
	}
	if _, ok := x.(*object.Tuple); ok {
		return x, nil
	}
	items, err := object.Collect(t, x)
	return object.NewTuple(items...), err
}

func newDict(t *thread, a args) (obj, error) {
	if len(a.Pos) > 1 {
		return nil, object.TypeErrorf("dict expected at most 1 argument, got %d", len(a.Pos))
	}
	d := object.NewDict("dict")
	return d, d.Fill(t, a)
}

func newSet(t *thread, a args, frozen bool) (obj, error) {
	var x obj = object.NewTuple()
	if err := a.Bind("set", "iterable? /", &x); err != nil {
		return nil, err
	}
	s := object.NewSet(frozen)
	return s, object.Each(t, x, func(v obj) error { return s.Add(t, v) })
}

func newType(_ *thread, a args) (obj, error) {
	if len(a.Pos) == 3 {
		return nil, object.Errorf("TypeError", "type() cannot make classes here").WithHint("use `language: python3`")
	}
	var x obj
	if err := a.Bind("type", "object /", &x); err != nil {
		return nil, err
	}
	return object.TypeOf(x), nil
}

func newSlice(_ *thread, a args) (obj, error) {
	s := &object.Slice{Lo: object.None(), Step: object.None()}
	if len(a.Pos) == 1 {
		s.Hi = a.Pos[0]
		return s, nil
	}
	return s, a.Bind("slice", "start stop step? /", &s.Lo, &s.Hi, &s.Step)
}

func newRange(_ *thread, a args) (obj, error) {
	var x, y, z obj
	if err := a.Bind("range", "start stop? step? /", &x, &y, &z); err != nil {
		return nil, err
	}
	var n [3]int
	for i, o := range []obj{x, y, z} {
		if o == nil {
			continue
		}
		v, err := object.IntArg(o)
		if err != nil {
			return nil, err
		}
		const limit = 1 << 60 // keeps sums and products of bounds in range
		n[i] = max(-limit, min(v, limit))
	}
	switch {
	case y == nil:
		return object.NewRange(0, n[0], 1), nil
	case z == nil:
		return object.NewRange(n[0], n[1], 1), nil
	case n[2] == 0:
		return nil, object.ValueErrorf("range() arg 3 must not be zero")
	}
	return object.NewRange(n[0], n[1], n[2]), nil
}

func dictFromKeys(t *thread, a args) (obj, error) {
	var keys obj
	v := object.None()
	if err := a.Bind("fromkeys", "iterable value? /", &keys, &v); err != nil {
		return nil, err
	}
	d := object.NewDict("dict")
	return d, object.Each(t, keys, func(k obj) error { return d.Put(t, k, v) })
}

func bytesFromHex(_ *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("fromhex", "string /", &x); err != nil {
		return nil, err
	}
	s, _ := object.AsStr(x)
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		return nil, object.ValueErrorf("non-hexadecimal number found in fromhex() arg")
	}
	return object.Bytes(b), nil
}

func intFromBytes(_ *thread, a args) (obj, error) {
	var x obj
	var order obj = object.NewStr("big")
	if err := a.Bind("from_bytes", "bytes byteorder?", &x, &order); err != nil {
		return nil, err
	}
	s, err := object.BytesArg(x)
	if err != nil {
		return nil, err
	}
	b := []byte(s)
	if o, _ := object.AsStr(order); o == "little" {
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
	}
	return object.NewInt(new(big.Int).SetBytes(b)), nil
}

func strMakeTrans(t *thread, a args) (obj, error) {
	var x, y, z obj
	if err := a.Bind("maketrans", "x y? z? /", &x, &y, &z); err != nil {
		return nil, err
	}
	table := object.NewDict("dict")
	if d, ok := x.(*object.Dict); ok {
		return table, transFromDict(t, table, d)
	}
	from, ok1 := object.AsStr(x)
	to, ok2 := "", false
	if y != nil {
		to, ok2 = object.AsStr(y)
	}
	src, dst := []rune(from), []rune(to)
	if !ok1 || !ok2 || len(src) != len(dst) {
		return nil, object.ValueErrorf("the first two maketrans arguments must have equal length")
	}
	for i, r := range src {
		if err := table.Put(t, object.Int(r), object.Int(dst[i])); err != nil {
			return nil, err
		}
	}
	if z != nil {
		drop, _ := object.AsStr(z)
		for _, r := range drop {
			if err := table.Put(t, object.Int(r), object.None()); err != nil {
				return nil, err
			}
		}
	}
	return table, nil
}

// transFromDict fills a translation table with a dictionary's characters.
func transFromDict(t *thread, table, d *object.Dict) error {
	for k, v := range d.All() {
		if s, ok := object.AsStr(k); ok && len([]rune(s)) == 1 {
			k = object.Int([]rune(s)[0])
		}
		if err := table.Put(t, k, v); err != nil {
			return err
		}
	}
	return nil
}

// basePrefix takes off a prefix such as 0x that agrees with the base, and
// settles base 0.
func basePrefix(base int, digits string) (int, string) {
	if len(digits) > 1 && digits[0] == '0' {
		prefix := map[byte]int{'x': 16, 'o': 8, 'b': 2}[digits[1]|0x20]
		if prefix != 0 && (base == 0 || base == prefix) {
			return prefix, strings.TrimPrefix(digits[2:], "_")
		}
	}
	if base == 0 {
		base = 10
	}
	return base, digits
}

// plainDigits tells whether there are digits, with single underscores between
// them at most.
func plainDigits(s string) bool {
	return s != "" && s[0] != '_' && s[len(s)-1] != '_' && !strings.Contains(s, "__") && !strings.ContainsAny(s, "+-")
}
