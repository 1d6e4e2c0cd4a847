package ioschema

import (
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

// is tells whether v is of the type.
func (t typ) is(v value.Value) bool {
	switch t {
	case tStr:
		return v.Kind() == value.KindString || v.Kind() == value.KindSecret
	case tInt:
		return v.Kind() == value.KindInt
	case tFloat, tNumber:
		return v.Kind() == value.KindFloat || v.Kind() == value.KindInt
	case tBool:
		return v.Kind() == value.KindBool
	case tList:
		return v.Kind() == value.KindList
	case tDict:
		return v.Kind() == value.KindObject
	default:
		return true
	}
}

// convert returns v as the type where that loses nothing, else v itself.
func convert(t typ, v value.Value) value.Value {
	switch t {
	case tStr:
		if v.Kind() == value.KindInt || v.Kind() == value.KindFloat {
			return value.String(v.String())
		}
	case tInt:
		return toInt(v)
	case tFloat:
		return toFloat(v)
	case tNumber:
		if n, err := value.Number(strings.TrimSpace(v.Text())); err == nil {
			return n
		}
	case tBool:
		switch v.Text() {
		case "true", "True":
			return value.Bool(true)
		case "false", "False":
			return value.Bool(false)
		}
	}
	return v
}

func toInt(v value.Value) value.Value {
	if s, ok := v.AsString(); ok {
		n, err := value.Number(strings.TrimSpace(s))
		if err != nil {
			return v
		}
		if n = toInt(n); n.Kind() == value.KindInt {
			return n
		}
		return v
	}
	if f, ok := v.AsFloat(); ok && v.Kind() == value.KindFloat && f == math.Trunc(f) && !math.IsInf(f, 0) {
		i, _ := big.NewFloat(f).Int(nil)
		return value.BigInt(i)
	}
	return v
}

func toFloat(v value.Value) value.Value {
	switch v.Kind() {
	case value.KindString:
		n, err := value.Number(strings.TrimSpace(v.Text()))
		if err != nil {
			return v
		}
		return toFloat(n)
	case value.KindInt:
		f, _ := v.AsFloat()
		if i, _ := v.AsBigInt(); !math.IsInf(f, 0) && value.Equal(toInt(value.Float(f)), value.BigInt(i)) {
			return value.Float(f)
		}
	}
	return v
}

// shown is how much of a value a message quotes.
const shown = 40

func describe(v value.Value) string {
	switch v.Kind() {
	case value.KindList, value.KindObject:
		return kindName(v)
	}
	s := v.String()
	if utf8.RuneCountInString(s) > shown {
		s = string([]rune(s)[:shown]) + "…"
	}
	return s
}

func kindName(v value.Value) string {
	switch v.Kind() {
	case value.KindObject:
		return "an object"
	case value.KindList:
		return "a list"
	case value.KindString:
		return "text"
	default:
		return v.String()
	}
}
