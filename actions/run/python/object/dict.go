package object

import "github.com/tea-agents/tea/value"

// Dict is a dictionary in order of insertion; also Counter, defaultdict and
// OrderedDict.
type Dict struct {
	kind    string // "" is dict
	Factory Object // of a defaultdict
	entries []entry
	index   map[Key]int
	dead    int
	src     value.Value // what entries are made of on first use
	lazy    bool
}

type entry struct {
	key  Key
	k, v Object // k is nil where the entry was deleted
}

// TypeName implements Object.
func (d *Dict) TypeName() string {
	if d.kind != "" {
		return d.kind
	}
	return "dict"
}

// NewDict makes an empty dictionary of a kind: dict, Counter, defaultdict or
// OrderedDict.
func NewDict(kind string) *Dict {
	if kind == "dict" {
		kind = ""
	}
	return &Dict{kind: kind}
}

// Len is the number of entries.
func (d *Dict) Len() int {
	if d.lazy {
		return d.src.Len()
	}
	return len(d.entries) - d.dead
}

func (d *Dict) find(k Key) int {
	if d.lazy {
		d.load()
	}
	if d.index == nil {
		for i := range d.entries {
			if d.entries[i].key == k && d.entries[i].k != nil {
				return i
			}
		}
		return -1
	}
	if i, ok := d.index[k]; ok {
		return i
	}
	return -1
}

// Get returns the value under key; ok is false when there is none.
func (d *Dict) Get(t *Thread, key Object) (v Object, ok bool, err error) {
	k, err := t.Key(key)
	if err != nil {
		return nil, false, err
	}
	if i := d.find(k); i >= 0 {
		return d.entries[i].v, true, nil
	}
	return nil, false, nil
}

// GetStr returns the value under a string key, or nil.
func (d *Dict) GetStr(key string) Object {
	if i := d.find(Key{kind: keyStr, s: key}); i >= 0 {
		return d.entries[i].v
	}
	return nil
}

// Put sets the value under key.
func (d *Dict) Put(t *Thread, key, v Object) error {
	k, err := t.Key(key)
	if err != nil {
		return err
	}
	return d.put(t, k, key, v)
}

// PutStr sets the value under a string key.
func (d *Dict) PutStr(t *Thread, key string, v Object) error {
	return d.put(t, Key{kind: keyStr, s: key}, NewStr(key), v)
}

const smallDict = 8

func (d *Dict) put(t *Thread, k Key, key, v Object) error {
	if i := d.find(k); i >= 0 {
		d.entries[i].v = v
		return nil
	}
	if err := t.Alloc(entrySize); err != nil {
		return err
	}
	d.add(k, key, v)
	return nil
}

// add appends an entry whose key is not there yet.
func (d *Dict) add(k Key, key, v Object) {
	d.entries = append(d.entries, entry{k, key, v})
	switch {
	case d.index != nil:
		d.index[k] = len(d.entries) - 1
	case len(d.entries) > smallDict:
		d.reindex()
	}
}

// reindex drops deleted entries and builds the index anew.
func (d *Dict) reindex() {
	live := d.entries[:0]
	for _, e := range d.entries {
		if e.k != nil {
			live = append(live, e)
		}
	}
	clear(d.entries[len(live):])
	d.entries, d.dead, d.index = live, 0, nil
	if len(live) <= smallDict {
		return
	}
	d.index = make(map[Key]int, 2*len(live))
	for i := range live {
		d.index[live[i].key] = i
	}
}

// Delete removes key and returns its value; ok is false when it was not there.
func (d *Dict) Delete(t *Thread, key Object) (v Object, ok bool, err error) {
	k, err := t.Key(key)
	if err != nil {
		return nil, false, err
	}
	i := d.find(k)
	if i < 0 {
		return nil, false, nil
	}
	v = d.entries[i].v
	d.remove(i)
	return v, true, nil
}

func (d *Dict) remove(i int) {
	delete(d.index, d.entries[i].key)
	d.entries[i] = entry{}
	d.dead++
	if i == len(d.entries)-1 {
		d.entries, d.dead = d.entries[:i], d.dead-1
		return
	}
	if d.dead > smallDict && d.dead > len(d.entries)/2 {
		d.reindex()
	}
}

// next returns the place of the first entry at or after i, or -1.
func (d *Dict) next(i int) int {
	if d.lazy {
		d.load()
	}
	for ; i < len(d.entries); i++ {
		if d.entries[i].k != nil {
			return i
		}
	}
	return -1
}

// All iterates over the entries. The loop must not change the dictionary.
func (d *Dict) All() func(yield func(k, v Object) bool) {
	return func(yield func(k, v Object) bool) {
		for i := d.next(0); i >= 0; i = d.next(i + 1) {
			if !yield(d.entries[i].k, d.entries[i].v) {
				return
			}
		}
	}
}

// Clear removes all entries.
func (d *Dict) Clear() { d.entries, d.index, d.dead, d.lazy = nil, nil, 0, false }

// Copy makes a shallow copy and charges it.
func (d *Dict) Copy(t *Thread) (*Dict, error) {
	c := &Dict{kind: d.kind, Factory: d.Factory}
	return c, c.Update(t, d)
}

// Update puts all entries of src on top.
func (d *Dict) Update(t *Thread, src *Dict) error {
	if err := t.Work(src.Len()); err != nil {
		return err
	}
	for i := src.next(0); i >= 0; i = src.next(i + 1) {
		e := src.entries[i]
		if err := d.put(t, e.key, e.k, e.v); err != nil {
			return err
		}
	}
	return nil
}

// Set is a set or a frozenset.
type Set struct {
	d      Dict
	frozen bool
}

// TypeName implements Object.
func (s *Set) TypeName() string {
	if s.frozen {
		return "frozenset"
	}
	return "set"
}

// NewSet makes an empty set.
func NewSet(frozen bool) *Set { return &Set{frozen: frozen} }

// Add adds an element.
func (s *Set) Add(t *Thread, o Object) error { return s.d.Put(t, o, NoneType{}) }

// Has tells whether o is an element.
func (s *Set) Has(t *Thread, o Object) (bool, error) {
	_, ok, err := s.d.Get(t, o)
	return ok, err
}

// Len is the number of elements.
func (s *Set) Len() int { return s.d.Len() }

// Items gives the elements in order of insertion. The slice is the caller's.
func (s *Set) Items() []Object {
	items := make([]Object, 0, s.Len())
	for k := range s.d.All() {
		items = append(items, k)
	}
	return items
}

// View is what dict.keys, dict.values and dict.items return.
type View struct {
	d    *Dict
	kind string // keys, values, items
}

// TypeName implements Object.
func (v *View) TypeName() string { return "dict_" + v.kind }

func (v *View) at(i int) Object {
	e := v.d.entries[i]
	switch v.kind {
	case "keys":
		return e.k
	case "values":
		return e.v
	}
	return NewTuple(e.k, e.v)
}

// Held implements Sized.
func (v *View) Held(visit func(Object)) { visit(v.d) }
