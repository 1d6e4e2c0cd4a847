package object

import "math"

// Slice is lo:hi:step, with None where a part is left out.
type Slice struct{ Lo, Hi, Step Object }

// TypeName implements Object.
func (*Slice) TypeName() string { return "slice" }

// bounds resolves a slice against a length: n indexes from start by step.
func (s *Slice) bounds(length int) (start, step, n int, err error) {
	step = 1
	if !IsNone(s.Step) {
		if step, err = sliceInt(s.Step); err != nil {
			return 0, 0, 0, err
		}
		if step == 0 {
			return 0, 0, 0, ValueErrorf("slice step cannot be zero")
		}
		step = max(step, -math.MaxInt)
	}
	lowest, highest := 0, length
	if step < 0 {
		lowest, highest = -1, length-1
	}
	first, last := lowest, highest
	if step < 0 {
		first, last = highest, lowest
	}
	if start, err = clampIndex(s.Lo, first, length, lowest, highest); err != nil {
		return 0, 0, 0, err
	}
	stop, err := clampIndex(s.Hi, last, length, lowest, highest)
	if err != nil {
		return 0, 0, 0, err
	}
	return start, step, NewRange(start, stop, step).N, nil
}

func sliceInt(o Object) (int, error) {
	n, ok := AsInt(o)
	if !ok {
		return 0, TypeErrorf("slice indices must be integers or None or have an __index__ method")
	}
	return n, nil
}

func clampIndex(o Object, missing, length, lowest, highest int) (int, error) {
	if IsNone(o) {
		return missing, nil
	}
	i, err := sliceInt(o)
	if err != nil {
		return 0, err
	}
	if i < 0 {
		i += length
	}
	return max(lowest, min(i, highest)), nil
}

// index resolves x[i] against a length.
func index(x, i Object, length int) (int, error) {
	n, ok := AsInt(i)
	if !ok {
		what := x.TypeName()
		if what == "str" {
			return 0, TypeErrorf("string indices must be integers, not '%s'", i.TypeName())
		}
		if what == "bytes" {
			what = "byte"
		}
		e := Errorf("TypeError", "%s indices must be integers or slices, not %s", what, i.TypeName())
		return 0, e
	}
	if n < 0 {
		n += length
	}
	if n < 0 || n >= length {
		what := x.TypeName()
		switch what {
		case "str":
			what = "string"
		case "range":
			what = "range object"
		case "bytes":
			return 0, Errorf("IndexError", "index out of range")
		case "collections.deque":
			return 0, Errorf("IndexError", "deque index out of range")
		}
		return 0, Errorf("IndexError", "%s index out of range", what)
	}
	return n, nil
}

// GetItem is x[i].
func GetItem(t *Thread, x, i Object) (Object, error) {
	if d, ok := x.(*Dict); ok {
		return d.getItem(t, i)
	}
	if s, ok := i.(*Slice); ok {
		return getSlice(t, x, s)
	}
	switch x := x.(type) {
	case *List:
		items := x.Items()
		n, err := index(x, i, len(items))
		if err != nil {
			return nil, err
		}
		return items[n], nil
	case *Tuple:
		n, err := index(NewTuple(), i, len(x.items))
		if err != nil {
			return nil, err
		}
		return x.items[n], nil
	case *Str:
		n, err := index(x, i, x.Len())
		if err != nil {
			return nil, err
		}
		return x.at(n), nil
	case Bytes:
		n, err := index(x, i, len(x))
		if err != nil {
			return nil, err
		}
		return Int(x[n]), nil
	case *Range:
		n, err := index(x, i, x.N)
		if err != nil {
			return nil, err
		}
		return x.at(n), nil
	case Getter:
		return x.GetItem(t, i)
	case Type: // list[int] in an annotation
		return x, nil
	}
	return nil, TypeErrorf("'%s' object is not subscriptable", x.TypeName())
}

func (d *Dict) getItem(t *Thread, key Object) (Object, error) {
	k, err := t.Key(key)
	if err != nil {
		return nil, err
	}
	if i := d.find(k); i >= 0 {
		return d.entries[i].v, nil
	}
	switch {
	case d.kind == "Counter":
		return Int(0), nil
	case !IsNone(d.Factory):
		v, err := Call0(t, d.Factory)
		if err != nil {
			return nil, err
		}
		return v, d.put(t, k, key, v)
	}
	return nil, keyError(key, d)
}

func getSlice(t *Thread, x Object, s *Slice) (Object, error) {
	switch x := x.(type) {
	case *List:
		if x.deque {
			return nil, TypeErrorf("sequence index must be integer, not 'slice'")
		}
		items, err := sliceItems(t, x.Items(), s)
		return &List{items: items}, err
	case *Tuple:
		items, err := sliceItems(t, x.items, s)
		return &Tuple{items: items}, err
	case *Str:
		return sliceStr(t, x, s)
	case Bytes:
		start, step, n, err := s.bounds(len(x))
		if err != nil {
			return nil, err
		}
		if step == 1 {
			return x[start : start+n], nil
		}
		out := make([]byte, n)
		for i := range out {
			out[i] = x[start+i*step]
		}
		return Bytes(out), t.Alloc(int64(n))
	case *Range:
		start, step, n, err := s.bounds(x.N)
		if err != nil {
			return nil, err
		}
		first := x.Start + start*x.Step
		return &Range{Start: first, Step: x.Step * step, Stop: first + n*x.Step*step, N: n}, nil
	}
	return nil, TypeErrorf("'%s' object is not subscriptable", x.TypeName())
}

func sliceItems(t *Thread, items []Object, s *Slice) ([]Object, error) {
	start, step, n, err := s.bounds(len(items))
	if err != nil {
		return nil, err
	}
	if err := t.AllocN(n+2, slotSize); err != nil {
		return nil, err
	}
	if err := t.Work(n); err != nil {
		return nil, err
	}
	out := make([]Object, n)
	for i := range out {
		out[i] = items[start+i*step]
	}
	return out, nil
}

func sliceStr(t *Thread, x *Str, s *Slice) (Object, error) {
	start, step, n, err := s.bounds(x.Len())
	if err != nil {
		return nil, err
	}
	if err := t.Alloc(int64(4*n) + headSize); err != nil {
		return nil, err
	}
	if err := t.Work(n); err != nil {
		return nil, err
	}
	if step == 1 {
		return x.sub(start, start+n), nil
	}
	if x.ascii {
		out := make([]byte, n)
		for i := range out {
			out[i] = x.s[start+i*step]
		}
		return &Str{s: string(out), ascii: true}, nil
	}
	runes, out := x.codePoints(), make([]rune, n)
	for i := range out {
		out[i] = runes[start+i*step]
	}
	return NewStr(string(out)), nil
}

// SetItem is x[i] = v.
func SetItem(t *Thread, x, i, v Object) error {
	switch x := x.(type) {
	case *Dict:
		return x.Put(t, i, v)
	case *List:
		if s, ok := i.(*Slice); ok {
			return setSlice(t, x, s, v)
		}
		items := x.Items()
		n, err := index(x, i, len(items))
		if err != nil {
			if e, ok := err.(*Exception); ok && e.Kind == "IndexError" { //nolint:errorlint // made just above
				return Errorf("IndexError", "list assignment index out of range")
			}
			return err
		}
		items[n] = v
		return nil
	}
	return TypeErrorf("'%s' object does not support item assignment", x.TypeName())
}

func setSlice(t *Thread, l *List, s *Slice, v Object) error {
	values, err := Collect(t, v)
	if err != nil {
		return TypeErrorf("can only assign an iterable")
	}
	items := l.Items()
	start, step, n, err := s.bounds(len(items))
	if err != nil {
		return err
	}
	if step == 1 {
		if err := t.AllocN(len(items)+len(values), slotSize); err != nil {
			return err
		}
		out := make([]Object, 0, len(items)-n+len(values))
		out = append(append(append(out, items[:start]...), values...), items[start+n:]...)
		l.items = out
		return t.Work(len(out))
	}
	if len(values) != n {
		return ValueErrorf("attempt to assign sequence of size %d to extended slice of size %d", len(values), n)
	}
	for i, v := range values {
		items[start+i*step] = v
	}
	return nil
}

// DelItem is del x[i].
func DelItem(t *Thread, x, i Object) error {
	switch x := x.(type) {
	case *Dict:
		_, ok, err := x.Delete(t, i)
		if err == nil && !ok {
			return keyError(i, x)
		}
		return err
	case *List:
		if s, ok := i.(*Slice); ok {
			return delSlice(t, x, s)
		}
		items := x.Items()
		n, err := index(x, i, len(items))
		if err != nil {
			return err
		}
		x.items = append(items[:n], items[n+1:]...)
		return t.Work(len(items) - n)
	}
	return TypeErrorf("'%s' object doesn't support item deletion", x.TypeName())
}

func delSlice(t *Thread, l *List, s *Slice) error {
	items := l.Items()
	start, step, n, err := s.bounds(len(items))
	if err != nil || n == 0 {
		return err
	}
	if step < 0 {
		start, step = start+(n-1)*step, -step
	}
	kept := items[:start]
	for i := start; i < len(items); i++ {
		if d := i - start; d%step != 0 || d/step >= n {
			kept = append(kept, items[i])
		}
	}
	clear(items[len(kept):])
	l.items = kept
	return t.Work(len(items))
}
