package chain

import "github.com/tea-agents/tea/value"

// rewriter replaces the strings and keys in a value, however deep.
type rewriter struct {
	text func(text string) (out value.Value, changed bool)
	// key returns what stands for a key, and false where nothing can: the whole
	// object then becomes a reference that does not resolve.
	key func(key string) (out string, ok bool)
}

// value returns v rewritten, v itself when that changes nothing, and whether
// it does.
func (r rewriter) value(v value.Value) (value.Value, bool) {
	switch v.Kind() {
	case value.KindString:
		return r.text(v.Text())
	case value.KindList:
		items, changed := make([]value.Value, 0, v.Len()), false
		for _, item := range v.Items() {
			out, c := r.value(item)
			items, changed = append(items, out), changed || c
		}
		if changed {
			return value.List(items...), true
		}
	case value.KindObject:
		return r.object(v)
	}
	return v, false
}

func (r rewriter) object(v value.Value) (value.Value, bool) {
	members, changed := make([]value.Member, 0, v.Len()), false
	for key, m := range v.Members() {
		name, ok := r.key(key)
		if !ok {
			return value.Secret(noKeyRef), true
		}
		out, c := r.value(m)
		members, changed = append(members, value.M(name, out)), changed || c || name != key
	}
	if changed {
		return value.Object(members...), true
	}
	return v, false
}
