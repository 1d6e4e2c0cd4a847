package filters

import (
	"strings"

	"github.com/tea-agents/tea/value"
)

// Text returns how v prints inside text: strings as they are, True, False and
// None as Jinja2 prints them, integers in full, floats in the shortest form
// that reads back as the same float, lists and objects as JSON with sorted
// keys. A secret, also one inside a list or object, and a value whose
// text would be too large are errors.
func Text(v value.Value) (string, error) {
	switch v.Kind() {
	case value.KindString:
		return v.Text(), nil
	case value.KindNull:
		return "None", nil
	case value.KindBool:
		if b, _ := v.AsBool(); b {
			return "True", nil
		}
		return "False", nil
	case value.KindInt:
		return v.String(), nil
	case value.KindFloat:
		f, _ := v.AsFloat()
		return value.FormatFloat(f), nil
	case value.KindSecret:
		return "", errSecret()
	}
	return jsonText(v, -1)
}

// textOrSecret is Text, but lets a secret pass.
func textOrSecret(v value.Value) (value.Value, error) {
	if k := v.Kind(); k == value.KindSecret || k == value.KindString {
		return v, nil
	}
	s, err := Text(v)
	return value.String(s), err
}

// concat joins the texts of vs; a secret among them makes the whole a secret.
func concat(vs ...value.Value) (value.Value, error) {
	size := 0
	parts := make([]value.Value, len(vs))
	for i, v := range vs {
		p, err := textOrSecret(v)
		if err != nil {
			return value.Null(), err
		}
		if size += textSize(p); size > MaxOutput {
			return value.Null(), errTooLarge()
		}
		parts[i] = p
	}
	joined, _ := value.Concat(parts...)
	return joined, nil
}

// textSize is the length of a string, or of a secret's text with the
// credentials masked.
func textSize(v value.Value) int {
	if v.Kind() == value.KindSecret {
		return len(v.String())
	}
	return len(v.Text())
}

// Truth is Python's: null, false, zero, and empty text, lists and objects are
// false; everything else, a secret too, is true.
func Truth(v value.Value) bool {
	switch v.Kind() {
	case value.KindNull:
		return false
	case value.KindBool:
		b, _ := v.AsBool()
		return b
	case value.KindInt:
		i, fits := v.AsInt()
		return !fits || i != 0
	case value.KindFloat:
		f, _ := v.AsFloat()
		return f != 0
	case value.KindString:
		return v.Text() != ""
	case value.KindList, value.KindObject:
		return v.Len() > 0
	}
	return true
}

// Condition is Truth for what decides where a run goes: text that spells a
// truth value (false, no, none, 0, true, yes, in any case) is an error, since
// any such text is true to Python, which is never what was meant.
func Condition(v value.Value) (bool, error) {
	if v.Kind() == value.KindString {
		switch strings.ToLower(strings.TrimSpace(v.Text())) {
		case "false", "no", "none", "0", "true", "yes":
			return false, failf("the condition yields the text %q, which is always true", v.Text()).
				withHint("compare it: ... == %q", v.Text())
		}
	}
	return Truth(v), nil
}
