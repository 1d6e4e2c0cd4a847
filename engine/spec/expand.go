package spec

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// expander replaces `${VAR}` and `${VAR:-default}` in the strings of settings.
// `$${` is the text `${`.
type expander struct {
	parser
	lookup func(name string) (string, bool)
	name   *regexp.Regexp
}

// expand returns a copy of d with its strings expanded, or nil when d is a
// string that cannot be. A plain scalar that is expanded is read again, so that
// `max_steps: ${STEPS}` is a number.
func (x *expander) expand(d *Data) *Data {
	c := *d
	switch d.Kind {
	case value.KindList:
		c.Items = nil
		for _, item := range d.Items {
			if item = x.expand(item); item != nil {
				c.Items = append(c.Items, item)
			}
		}
	case value.KindObject:
		c.Members = nil
		for _, m := range d.Members {
			if v := x.expand(m.Value); v != nil {
				c.Members = append(c.Members, Member{Key: m.Key, Value: v})
			}
		}
	case value.KindString:
		return x.scalar(&c)
	}
	return &c
}

func (x *expander) scalar(d *Data) *Data {
	before := len(x.diags)
	text, changed := x.text(d.Text)
	if len(x.diags) > before {
		return nil
	}
	if changed {
		d.Text.Value, d.Scalar = text, value.String(text)
		if d.Text.style == 0 {
			x.retype(d)
		}
	}
	return d
}

func (x *expander) retype(d *Data) {
	if v, err := x.patterns.plain(d.Text.Value); err == nil && v.Kind() != value.KindNull {
		d.Kind, d.Scalar = v.Kind(), v
	}
}

func (x *expander) text(t Text) (string, bool) {
	var out strings.Builder
	rest, changed := t.Value, false
	for {
		i := strings.Index(rest, "${")
		if i < 0 {
			out.WriteString(rest)
			return out.String(), changed
		}
		changed = true
		if i > 0 && rest[i-1] == '$' {
			out.WriteString(rest[:i-1] + "${")
			rest = rest[i+2:]
			continue
		}
		out.WriteString(rest[:i])
		size, text := x.variable(t, len(t.Value)-len(rest)+i)
		out.WriteString(text)
		rest = rest[i+size:]
	}
}

// variable expands the reference at an offset of t. It returns how long the
// reference is and its text.
func (x *expander) variable(t Text, offset int) (size int, text string) {
	ref := t.Value[offset:]
	end := strings.IndexByte(ref, '}')
	if end < 0 {
		x.add(t.At(offset), 2, "bad_variable", "`${` has no closing `}`").Hint = "write `$${` for the text `${`"
		return 2, ""
	}
	name, fallback, hasFallback := strings.Cut(ref[2:end], ":-")
	if !x.name.MatchString(name) {
		x.add(t.At(offset), end+1, "bad_variable", "%q is no name of an environment variable", name).
			Hint = "write `$${` for the text `${`"
		return end + 1, ""
	}
	if v, ok := x.lookup(name); ok && (v != "" || !hasFallback) {
		return end + 1, v
	}
	if !hasFallback {
		x.add(t.At(offset), end+1, "unset_variable", "the environment variable %s is not set", name).
			Hint = fmt.Sprintf("set it, or give a default: ${%s:-default}", name)
	}
	return end + 1, fallback
}

func newExpander(src *source, lookup func(string) (string, bool)) *expander {
	if lookup == nil {
		lookup = func(string) (string, bool) { return "", false }
	}
	return &expander{
		parser: parser{src: src, patterns: newPatterns(), diags: diag.List{}},
		lookup: lookup,
		name:   regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`),
	}
}
