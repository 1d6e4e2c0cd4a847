package filters

import (
	"github.com/tea-agents/tea/value"
)

// loop is a {% for %} that is running.
type loop struct {
	items []value.Value
	index int // from 0; -1 before the first round
	seen  value.Value
	at    int // the index that seen was made for
}

// object is what the name loop stands for.
func (l *loop) object() value.Value {
	if l.at == l.index {
		return l.seen
	}
	i, n := l.index, len(l.items)
	members := []value.Member{
		value.M("index", value.Int(int64(i+1))),
		value.M("index0", value.Int(int64(i))),
		value.M("revindex", value.Int(int64(n-i))),
		value.M("revindex0", value.Int(int64(n-i-1))),
		value.M("first", value.Bool(i == 0)),
		value.M("last", value.Bool(i == n-1)),
		value.M("length", value.Int(int64(n))),
		value.M("depth", value.Int(1)), // loops are never recursive
		value.M("depth0", value.Int(0)),
	}
	if i > 0 {
		members = append(members, value.M("previtem", l.items[i-1]))
	}
	if i+1 < n {
		members = append(members, value.M("nextitem", l.items[i+1]))
	}
	l.seen, l.at = value.Object(members...), i
	return l.seen
}

// begin starts loop n and returns a slice as long as the loop has rounds.
func (r *rendering) begin(n int) ([]struct{}, error) {
	tag := r.t.loops[n]
	x, err := tag.over.eval(r.env)
	if err != nil {
		return nil, err
	}
	if x.miss != nil {
		return nil, x.miss.err(tag.off, ", so there is nothing to loop over")
	}
	items, err := elements(x.v)
	if err == nil {
		err = r.tick(len(items))
	}
	if err != nil {
		return nil, at(tag.off, err)
	}
	l := &loop{index: -1, at: -1}
	r.frames = append(r.frames, &frame{loop: l})
	if tag.test != nil {
		if items, err = r.selected(tag, items); err != nil {
			return nil, err
		}
	}
	l.items = items
	return make([]struct{}, len(items)), nil
}

// selected are the items for which the test of the loop is true.
func (r *rendering) selected(tag *forTag, items []value.Value) ([]value.Value, error) {
	kept := items[:0]
	for _, item := range items {
		if err := r.bindTarget(tag.target, item); err != nil {
			return nil, err
		}
		x, err := tag.test.eval(r.env)
		if err != nil {
			return nil, err
		}
		if truthOf(x) {
			kept = append(kept, item)
		}
	}
	f := r.frames[len(r.frames)-1]
	f.vars = f.vars[:0]
	return kept, nil
}

// next begins a round: what the last one defined is gone.
func (r *rendering) next(n int) error {
	f := r.frames[len(r.frames)-1]
	f.loop.index++
	f.vars = f.vars[:0]
	return r.bindTarget(r.t.loops[n].target, f.loop.items[f.loop.index])
}

// bindTarget defines the names of t.
func (e *env) bindTarget(t target, v value.Value) error {
	if t.name != "" {
		e.define(t.name, v, false)
		return nil
	}
	parts, err := takeApart(v)
	if err == nil && len(parts) != len(t.parts) {
		err = failf("%d names cannot take %d elements", len(t.parts), len(parts))
	}
	if err != nil {
		f := failAt(t.off, "%s: %s", err.Error(), clip(v.String()))
		if v.Kind() == value.KindString && len(t.parts) == 2 {
			f.hint = "to loop over keys and values, write: for key, value in x.items()"
		}
		return f
	}
	for i, p := range t.parts {
		if err := e.bindTarget(p, parts[i]); err != nil {
			return err
		}
	}
	return nil
}

// takeApart are the elements of v. A group of the filter groupby is the pair
// of its grouper and its list.
func takeApart(v value.Value) ([]value.Value, error) {
	if v.Kind() == value.KindObject && v.Len() == 2 {
		grouper, ok1 := v.Get("grouper")
		list, ok2 := v.Get("list")
		if ok1 && ok2 {
			return []value.Value{grouper, list}, nil
		}
	}
	return elements(v)
}

// assign does {% set %}.
func (e *env) assign(s *setTag, v value.Value) error {
	if s.attr == "" {
		if s.namespace {
			e.define(s.target.name, v, true)
			return nil
		}
		return e.bindTarget(s.target, v)
	}
	l := e.local(s.target.name)
	if l == nil || !l.namespace {
		f := failAt(s.target.off, "%q is no namespace, so its attributes cannot be set", s.target.name)
		return f.withHint("begin with {%% set %s = namespace(%s=…) %%}", s.target.name, s.attr)
	}
	l.v = l.v.With(s.attr, v)
	m := asValue(l.v)
	if err := m.err(); err != nil {
		return at(s.off, err)
	}
	return e.tick(m.nodes / 8)
}
