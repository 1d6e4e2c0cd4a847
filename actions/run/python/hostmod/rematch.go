package hostmod

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/actions/run/python/object"
)

// match is a match of a pattern in a string.
type match struct {
	p   *pattern
	s   *object.Str
	loc []int
}

// TypeName implements object.Object.
func (*match) TypeName() string { return "re.Match" }

// Held implements object.Sized.
func (m *match) Held(visit func(obj)) { visit(m.s) }

// Repr implements object.Reprer.
func (m *match) Repr(*object.Thread) (string, error) {
	lo, hi := m.span(0)
	return fmt.Sprintf("<re.Match object; span=(%d, %d), match=%s>", lo, hi, object.Quote(m.s.Text()[m.loc[0]:m.loc[1]])), nil
}

// group is the text of group i, None when it took no part.
func (m *match) group(i int) obj {
	if m.loc[2*i] < 0 {
		return object.None()
	}
	return object.NewStr(m.s.Text()[m.loc[2*i]:m.loc[2*i+1]])
}

// span is the place of a group in code points.
func (m *match) span(i int) (lo, hi int) {
	if m.loc[2*i] < 0 {
		return -1, -1
	}
	return m.s.CodePointOffset(m.loc[2*i]), m.s.CodePointOffset(m.loc[2*i+1])
}

// index finds the group that x names, by number or name.
func (m *match) index(x obj) (int, error) {
	i := -1
	if name, ok := object.AsStr(x); ok {
		i = m.p.re.SubexpIndex(name)
	} else if n, ok := object.AsInt(x); ok {
		i = n
	}
	if i < 0 || i > m.p.re.NumSubexp() {
		return 0, object.Errorf("IndexError", "no such group")
	}
	return i, nil
}

// GetItem implements object.Getter.
func (m *match) GetItem(_ *object.Thread, key obj) (obj, error) {
	i, err := m.index(key)
	if err != nil {
		return nil, err
	}
	return m.group(i), nil
}

// Attr implements object.Attributer.
func (m *match) Attr(t *object.Thread, name string) (obj, bool, error) {
	switch name {
	case "string":
		return m.s, true, nil
	case "re":
		return m.p, true, nil
	}
	method, ok := t.World.Method("re.Match", name)
	return &object.Bound{Self: m, Method: method}, ok, nil
}

func matchMethods() []object.Method {
	return []object.Method{
		object.On("group", matchGroup), object.On("groups", matchGroups), object.On("groupdict", matchGroupDict),
		object.On("start", place("start", func(lo, _ int) obj { return object.Int(lo) })),
		object.On("end", place("end", func(_, hi int) obj { return object.Int(hi) })),
		object.On("span", place("span", func(lo, hi int) obj { return object.NewTuple(object.Int(lo), object.Int(hi)) })),
		object.On("expand", func(t *thread, m *match, a args) (obj, error) {
			s, err := bindStr(a, "expand", "template")
			if err != nil {
				return nil, err
			}
			if s, err = m.expand(s); err != nil {
				return nil, err
			}
			return t.Str(s)
		}),
	}
}

func matchGroup(t *thread, m *match, a args) (obj, error) {
	if len(a.Pos) == 0 {
		return m.group(0), nil
	}
	items := make([]obj, len(a.Pos))
	for i, x := range a.Pos {
		v, err := m.GetItem(t, x)
		if err != nil {
			return nil, err
		}
		items[i] = v
	}
	if len(items) == 1 {
		return items[0], nil
	}
	return object.NewTuple(items...), nil
}

func matchGroups(_ *thread, m *match, a args) (obj, error) {
	missing := object.None()
	if err := a.Bind("groups", "default?", &missing); err != nil {
		return nil, err
	}
	items := make([]obj, m.p.re.NumSubexp())
	for i := range items {
		if items[i] = m.group(i + 1); object.IsNone(items[i]) {
			items[i] = missing
		}
	}
	return object.NewTuple(items...), nil
}

func matchGroupDict(t *thread, m *match, a args) (obj, error) {
	missing := object.None()
	if err := a.Bind("groupdict", "default?", &missing); err != nil {
		return nil, err
	}
	d := object.NewDict("dict")
	for i, name := range m.p.re.SubexpNames() {
		if name == "" {
			continue
		}
		v := m.group(i)
		if object.IsNone(v) {
			v = missing
		}
		if err := d.PutStr(t, name, v); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func place(name string, pick func(lo, hi int) obj) func(*thread, *match, args) (obj, error) {
	return func(_ *thread, m *match, a args) (obj, error) {
		var g obj = object.Int(0)
		if err := a.Bind(name, "group? /", &g); err != nil {
			return nil, err
		}
		i, err := m.index(g)
		if err != nil {
			return nil, err
		}
		lo, hi := m.span(i)
		return pick(lo, hi), nil
	}
}

// expand fills in a template: \1, \g<1>, \g<name>, \n and its like.
func (m *match) expand(s string) (string, error) { //nolint:cyclop // a scanner: one case for each construct
	if strings.IndexByte(s, '\\') < 0 {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			n := 1
			if i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				n = 2
			}
			text, err := m.reference(s[i : i+n])
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			i += n - 1
		case c == 'g' && strings.HasPrefix(s[i+1:], "<") && strings.Contains(s[i:], ">"):
			end := strings.IndexByte(s[i:], '>')
			text, err := m.reference(s[i+2 : i+end])
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			i += end
		case strings.IndexByte("nrtvfab\\", c) >= 0:
			b.WriteByte("\n\r\t\v\f\a\b\\"[strings.IndexByte("nrtvfab\\", c)])
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			return "", object.Errorf("re.error", "bad escape \\%c", c)
		default:
			b.WriteString(s[i-1 : i+1])
		}
	}
	return b.String(), nil
}

func (m *match) reference(name string) (string, error) {
	var key obj = object.NewStr(name)
	if n, err := strconv.Atoi(name); err == nil {
		key = object.Int(n)
	}
	i, err := m.index(key)
	if err != nil {
		return "", object.Errorf("re.error", "invalid group reference %s", name)
	}
	s, _ := object.AsStr(m.group(i))
	return s, nil
}
