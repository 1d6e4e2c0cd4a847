package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// mismatch reports that v is not of type t.
func (d *decoder) mismatch(t *typ, v value.Value) {
	if v.Kind() == value.KindSecret {
		d.add(CodeSecret, "", "expected %s, got a secret, which is not available here", t.expected())
		return
	}
	d.add(CodeType, "", "expected %s, got %s", t.expected(), d.describe(v))
}

// text checks a string against its enum and its length.
func (d *decoder) text(t *typ, s string) {
	if t.min != nil || t.max != nil {
		d.bounds(t, float64(utf8.RuneCountInString(s)), "characters")
	}
	if t.enum == nil || slices.Contains(t.enum, s) {
		return
	}
	hint := ""
	if near := diag.Suggest(s, t.enum); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	d.add(CodeEnum, hint, "expected one of %s, got %s", strings.Join(t.enum, ", "), d.describe(value.String(s)))
}

// bounds checks a number, or a length counted in unit.
func (d *decoder) bounds(t *typ, n float64, unit string) {
	limit, words := t.min, "at least"
	switch {
	case t.min != nil && n < t.min.num:
	case t.max != nil && n > t.max.num:
		limit, words = t.max, "at most"
	default:
		return
	}
	got := strconv.FormatFloat(n, 'f', -1, 64)
	if unit != "" {
		d.add(CodeRange, "", "must have %s %s %s, has %s", words, limit.text, unit, got)
		return
	}
	if t.kind == kindDuration {
		got += " seconds"
	}
	if d.private {
		d.add(CodeRange, "", "must be %s %s", words, limit.text)
		return
	}
	d.add(CodeRange, "", "must be %s %s, got %s", words, limit.text, got)
}

// describe names v in a message.
func (d *decoder) describe(v value.Value) string {
	const most = 40
	switch v.Kind() {
	case value.KindNull:
		return "null"
	case value.KindList:
		return "a list"
	case value.KindObject:
		return "an object"
	case value.KindSecret:
		return "a secret"
	}
	if d.private {
		return "another " + v.Kind().String()
	}
	text := v.String()
	if s, ok := v.AsString(); ok {
		if runes := []rune(s); len(runes) > most {
			s = string(runes[:most]) + "…"
		}
		text = strconv.Quote(s)
	} else if len(text) > most {
		text = text[:most] + "…"
	}
	return "the " + v.Kind().String() + " " + text
}
