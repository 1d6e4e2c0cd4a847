package value

import (
	"cmp"
	"slices"
)

// memberKey is a key of an object that is being read.
type memberKey struct {
	key   string
	at    int // offset of its opening quote in the text
	index int // of its value among the members, in the order of the text
}

func (p *parser) object() (Value, error) {
	if err := p.open(); err != nil {
		return Value{}, err
	}
	base, baseKey := len(p.values), len(p.keys)
	for more := p.next() != '}'; more; {
		key, err := p.key()
		if err != nil {
			return Value{}, err
		}
		key.index = len(p.values) - base
		v, err := p.value()
		if err != nil {
			return Value{}, err
		}
		p.pushKey(key)
		p.push(v)
		if more = p.comma(); !more && p.here() != '}' {
			return Value{}, p.unexpected("after object key:value pair")
		}
	}
	p.close()
	return p.closeObject(base, baseKey)
}

// key reads a key and the colon after it.
func (p *parser) key() (memberKey, error) {
	if p.next() != '"' {
		return memberKey{}, p.unexpected("looking for beginning of object key string")
	}
	at := p.pos
	s, err := p.text()
	if err != nil {
		return memberKey{}, err
	}
	key := p.texts.key(s, len(p.data)-p.pos)
	if p.next() != ':' {
		return memberKey{}, p.unexpected("after object key")
	}
	p.pos++
	return memberKey{key: key, at: at}, nil
}

func (p *parser) pushKey(k memberKey) {
	if p.keys == nil {
		const shortest = len(`"":1,`) // that a member can be
		p.keys = make([]memberKey, 0, min(16, len(p.data)/shortest))
	}
	p.keys = append(p.keys, k)
}

// closeObject makes an object of what lies above base and baseKey.
func (p *parser) closeObject(base, baseKey int) (Value, error) {
	keys := p.keys[baseKey:]
	p.keys = p.keys[:baseKey]
	if ascending(keys) {
		return Value{kind: KindObject, ref: &node{keys: p.texts.keyList(keys), items: p.popValues(base)}}, nil
	}
	slices.SortFunc(keys, func(a, b memberKey) int {
		return cmp.Or(compareKeys(a.key, b.key), a.at-b.at)
	})
	if twice, ok := firstTwice(keys); ok {
		return Value{}, p.fail(twice.at, "key %q stands twice in one object", shorten(twice.key))
	}
	values := p.values[base:]
	items := make([]Value, len(keys))
	for i, k := range keys {
		items[i] = values[k.index]
	}
	p.values = p.values[:base]
	return Value{kind: KindObject, ref: &node{keys: p.texts.keyList(keys), items: items}}, nil
}

// ascending tells whether keys are sorted already, each once, as they are in
// all text that this package wrote.
func ascending(keys []memberKey) bool {
	for i := 1; i < len(keys); i++ {
		if compareKeys(keys[i-1].key, keys[i].key) >= 0 {
			return false
		}
	}
	return true
}

// firstTwice returns the key that, in the order of the text, is the first to
// have stood before.
func firstTwice(sorted []memberKey) (first memberKey, found bool) {
	for i := 1; i < len(sorted); i++ {
		k := sorted[i]
		if k.key == sorted[i-1].key && (!found || k.at < first.at) {
			first, found = k, true
		}
	}
	return first, found
}
