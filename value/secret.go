package value

import "strings"

// Mask is what stands in every output in the place of a secret.
const Mask = "***"

// Secret returns a reference to the secret called name. Only [Resolve] turns
// it into text.
func Secret(name string) Value {
	return Value{kind: KindSecret, ref: &node{items: []Value{{kind: KindSecret, str: name}}}}
}

// Concat joins strings and secrets into one value: a string when all are
// strings, else a secret that keeps the text around it, as in "Bearer " +
// secret. Values of other kinds are not accepted.
func Concat(parts ...Value) (joined Value, ok bool) {
	var all []Value
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			all = append(all, String(text.String()))
			text.Reset()
		}
	}
	secret := false
	for _, p := range parts {
		switch p.kind {
		case KindString:
			text.WriteString(p.str)
		case KindSecret:
			secret = true
			for _, q := range p.ref.items {
				if q.kind == KindString {
					text.WriteString(q.str)
					continue
				}
				flush()
				all = append(all, q)
			}
		default:
			return Value{}, false
		}
	}
	if !secret {
		return String(text.String()), true
	}
	flush()
	return Value{kind: KindSecret, ref: &node{items: all}}, true
}

// SecretNames returns the names of all secrets in v, nested ones too, each
// once, in the order in which they stand.
func SecretNames(v Value) []string {
	var names []string
	seen := map[string]bool{}
	var walk func(Value)
	walk = func(v Value) {
		if v.kind == KindSecret && v.ref == nil && !seen[v.str] {
			seen[v.str] = true
			names = append(names, v.str)
		}
		if v.ref != nil {
			for _, m := range v.ref.items {
				walk(m)
			}
		}
	}
	walk(v)
	return names
}

// Resolve returns v with every secret in it replaced by text, which lookup
// gives for a name. It stops at the first error of lookup.
func Resolve(v Value, lookup func(name string) (string, error)) (Value, error) {
	if v.kind == KindSecret {
		var text strings.Builder
		for _, p := range v.ref.items {
			s := p.str
			if p.kind == KindSecret {
				var err error
				if s, err = lookup(p.str); err != nil {
					return Value{}, err
				}
			}
			text.WriteString(s)
		}
		return String(text.String()), nil
	}
	if (v.kind != KindList && v.kind != KindObject) || len(SecretNames(v)) == 0 {
		return v, nil
	}
	items := make([]Value, len(v.ref.items))
	for i, m := range v.ref.items {
		r, err := Resolve(m, lookup)
		if err != nil {
			return Value{}, err
		}
		items[i] = r
	}
	return Value{kind: v.kind, ref: &node{keys: v.ref.keys, items: items}}, nil
}

// masked returns the text of a secret with every name in the place of which a
// credential will stand hidden.
func (v Value) masked() string {
	var text strings.Builder
	for _, p := range v.ref.items {
		if p.kind == KindSecret {
			text.WriteString(Mask)
		} else {
			text.WriteString(p.str)
		}
	}
	return text.String()
}
