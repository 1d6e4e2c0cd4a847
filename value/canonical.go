package value

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// NotJSONError says why a value is not JSON and so has no canonical form.
type NotJSONError struct {
	Path   string // where in the value, as in "args.list[2]"; "" is the value itself
	Reason string // such as "NaN is not JSON"
}

func (e *NotJSONError) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return e.Path + ": " + e.Reason
}

// digestResult is the memoised outcome of Digest.
type digestResult struct {
	sum [sha256.Size]byte
	err error
}

// Check returns nil when v is JSON through and through, else a *[NotJSONError]
// for the first place that is not: NaN, an infinity, a string or key that is
// not valid UTF-8, or a secret.
func (v Value) Check() error {
	if e := v.check(); e != nil {
		return e
	}
	return nil
}

func (v Value) check() *NotJSONError {
	switch v.kind {
	case KindFloat:
		if f, _ := v.AsFloat(); math.IsNaN(f) || math.IsInf(f, 0) {
			return &NotJSONError{Reason: FormatFloat(f) + " is not JSON"}
		}
	case KindString:
		if !utf8.ValidString(v.str) {
			return &NotJSONError{Reason: fmt.Sprintf("text is not valid UTF-8: %q", shorten(v.str))}
		}
	case KindSecret:
		return &NotJSONError{Reason: "a secret is not data"}
	case KindList:
		for i, m := range v.ref.items {
			if e := m.check(); e != nil {
				return e.under("[" + strconv.Itoa(i) + "]")
			}
		}
	case KindObject:
		for i, m := range v.ref.items {
			if !utf8.ValidString(v.ref.keys[i]) {
				return &NotJSONError{Reason: fmt.Sprintf("key is not valid UTF-8: %q", shorten(v.ref.keys[i]))}
			}
			if e := m.check(); e != nil {
				return e.under(v.ref.keys[i])
			}
		}
	}
	return nil
}

// under puts one more step in front of the path.
func (e *NotJSONError) under(step string) *NotJSONError {
	switch {
	case e.Path == "":
		e.Path = step
	case e.Path[0] == '[':
		e.Path = step + e.Path
	default:
		e.Path = step + "." + e.Path
	}
	return e
}

func shorten(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most]
	}
	return s
}

// Canonical returns the canonical form of v: UTF-8 JSON text with keys in the
// order of RFC 8785 and exact integers. Equal values have equal canonical
// forms, different values different ones. What is not JSON has none: the
// error is then a *[NotJSONError].
func (v Value) Canonical() ([]byte, error) {
	if err := v.Check(); err != nil {
		return nil, err
	}
	return v.json(), nil
}

// Digest returns the SHA-256 of the canonical form. It is remembered for
// lists and objects.
func (v Value) Digest() ([sha256.Size]byte, error) {
	if v.ref == nil {
		return v.digest()
	}
	if d := v.ref.digest.Load(); d != nil {
		return d.sum, d.err
	}
	sum, err := v.digest()
	v.ref.digest.Store(&digestResult{sum, err})
	return sum, err
}

func (v Value) digest() ([sha256.Size]byte, error) {
	c, err := v.Canonical()
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	return sha256.Sum256(c), nil
}
