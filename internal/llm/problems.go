package llm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// problems collects what is wrong with an input, so that all of it is said.
type problems []string

func (p *problems) add(format string, args ...any) {
	*p = append(*p, fmt.Sprintf(format, args...))
}

// err returns the problems as one *Error, or nil.
func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return &Error{Kind: InvalidInput, Message: strings.Join(p, "; ")}
}

// unknown reports the keys of the object v at path that are not among known.
func (p *problems) unknown(path string, v value.Value, known ...string) {
	for key := range v.Members() {
		if !slices.Contains(known, key) {
			p.add("%s has an unknown key %q%s", path, key, hint(key, known))
		}
	}
}

// hint returns ": did you mean …?" or "".
func hint(name string, known []string) string {
	if h := diag.DidYouMean(name, known); h != "" {
		return ": " + h
	}
	return ""
}

// text returns a string as it is and another scalar as its text; ok is false
// for null, lists, objects and secrets.
func text(v value.Value) (s string, ok bool) {
	switch v.Kind() {
	case value.KindString:
		return v.Text(), true
	case value.KindBool, value.KindInt, value.KindFloat:
		return v.String(), true
	}
	return "", false
}
