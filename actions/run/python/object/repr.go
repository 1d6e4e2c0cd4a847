package object

import (
	"context"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/tea-agents/tea/value"
)

// Repr is repr(o), charged.
func Repr(t *Thread, o Object) (string, error) {
	w := textWriter{t: t}
	err := w.repr(o)
	return w.b.String(), err
}

// ToStr is str(o), charged.
func ToStr(t *Thread, o Object) (string, error) {
	switch x := o.(type) {
	case *Str:
		return x.s, nil
	case Strer:
		return x.Str(), nil
	}
	return Repr(t, o)
}

// plainRepr is repr(o) outside of a run, for messages.
func plainRepr(o Object) string {
	t := NewThread(context.Background(), nil, Host{}, Limits{Steps: 100_000, Bytes: 1 << 20})
	s, err := Repr(t, o)
	if err != nil {
		return "<" + o.TypeName() + ">"
	}
	return s
}

func plainStr(o Object) string {
	if s, ok := o.(*Str); ok {
		return s.s
	}
	if s, ok := o.(Strer); ok {
		return s.Str()
	}
	return plainRepr(o)
}

func (t *Thread) reprAll(items []Object) ([]string, error) {
	out := make([]string, len(items))
	for i, item := range items {
		s, err := Repr(t, item)
		if err != nil {
			return nil, err
		}
		out[i] = s
	}
	return out, nil
}

// textWriter builds the text of nested values.
type textWriter struct {
	t    *Thread
	b    strings.Builder
	open []Object // the containers being written, to see cycles
}

func (w *textWriter) write(s string) error {
	w.b.WriteString(s)
	if err := w.t.Alloc(int64(len(s))); err != nil {
		return err
	}
	return w.t.Step(uint64(len(s)/64) + 1)
}

func (w *textWriter) repr(o Object) error {
	switch o := o.(type) {
	case NoneType:
		return w.write("None")
	case Bool:
		if o {
			return w.write("True")
		}
		return w.write("False")
	case Int, *Big:
		s, err := IntText(o)
		if err != nil {
			return err
		}
		return w.write(s)
	case Float:
		return w.write(FloatRepr(float64(o)))
	case *Str:
		return w.write(quote(o.s))
	case Bytes:
		return w.write("b" + quoteBytes(string(o)))
	case *List, *Tuple, *Dict, *Set, *View:
		return w.container(o)
	case Reprer:
		s, err := o.Repr(w.t)
		if err != nil {
			return err
		}
		return w.write(s)
	}
	return w.write(rareRepr(o))
}

func rareRepr(o Object) string {
	switch o := o.(type) {
	case *Range:
		s := "range(" + Int(o.Start).text() + ", " + Int(o.Stop).text()
		if o.Step != 1 {
			s += ", " + Int(o.Step).text()
		}
		return s + ")"
	case Type:
		return "<class '" + string(o) + "'>"
	case *NamedTuple:
		return "<class '" + o.Name + "'>"
	case *Builtin:
		return "<built-in function " + o.Name + ">"
	case *Bound:
		return "<built-in method " + o.Method.Name + " of " + o.Self.TypeName() + " object>"
	case EllipsisType:
		return "Ellipsis"
	case NotImplementedType:
		return "NotImplemented"
	}
	return "<" + o.TypeName() + " object>"
}

func (w *textWriter) container(o Object) error {
	for _, c := range w.open {
		if c == o {
			return w.write(cycleMark(o))
		}
	}
	if err := w.t.descend("while getting the repr of an object"); err != nil {
		return err
	}
	defer w.t.ascend()
	w.open = append(w.open, o)
	defer func() { w.open = w.open[:len(w.open)-1] }()
	switch o := o.(type) {
	case *List:
		return w.list(o)
	case *Tuple:
		return w.tuple(o)
	case *Dict:
		return w.dict(o)
	case *Set:
		return w.set(o)
	case *View:
		return w.view(o)
	}
	return nil
}

func cycleMark(o Object) string {
	switch o.(type) {
	case *Dict:
		return "{...}"
	case *Tuple:
		return "(...)"
	}
	return "[...]"
}

func (w *textWriter) items(open string, items []Object, end string) error {
	if err := w.write(open); err != nil {
		return err
	}
	for i, item := range items {
		if i > 0 {
			if err := w.write(", "); err != nil {
				return err
			}
		}
		if err := w.repr(item); err != nil {
			return err
		}
	}
	return w.write(end)
}

func (w *textWriter) list(l *List) error {
	if !l.deque {
		return w.items("[", l.Items(), "]")
	}
	end := "])"
	if l.max > 0 {
		end = "], maxlen=" + Int(l.max).text() + ")"
	}
	return w.items("deque([", l.Items(), end)
}

func (w *textWriter) tuple(u *Tuple) error {
	if u.typ == nil {
		if len(u.items) == 1 {
			return w.items("(", u.items, ",)")
		}
		return w.items("(", u.items, ")")
	}
	if err := w.write(u.typ.Name + "("); err != nil {
		return err
	}
	for i, item := range u.items {
		sep := ", "
		if i == 0 {
			sep = ""
		}
		if err := w.write(sep + u.typ.Fields[i] + "="); err != nil {
			return err
		}
		if err := w.repr(item); err != nil {
			return err
		}
	}
	return w.write(")")
}

func (w *textWriter) dict(d *Dict) error {
	open, end := "{", "}"
	switch d.kind {
	case "Counter", "OrderedDict":
		open, end = d.kind+"({", "})"
		if d.Len() == 0 {
			return w.write(d.kind + "()")
		}
	case "defaultdict":
		f, err := Repr(w.t, orNone(d.Factory))
		if err != nil {
			return err
		}
		open, end = "defaultdict("+f+", {", "})"
	}
	if err := w.write(open); err != nil {
		return err
	}
	if err := w.pairs(d); err != nil {
		return err
	}
	return w.write(end)
}

func orNone(o Object) Object {
	if o == nil {
		return None()
	}
	return o
}

func (w *textWriter) pairs(d *Dict) error {
	entries, err := reprOrder(w.t, d)
	if err != nil {
		return err
	}
	for i, e := range entries {
		if i > 0 {
			if err := w.write(", "); err != nil {
				return err
			}
		}
		if err := w.repr(e.k); err != nil {
			return err
		}
		if err := w.write(": "); err != nil {
			return err
		}
		if err := w.repr(e.v); err != nil {
			return err
		}
	}
	return nil
}

func (w *textWriter) set(s *Set) error {
	switch {
	case s.Len() == 0:
		return w.write(s.TypeName() + "()")
	case s.frozen:
		return w.items("frozenset({", s.Items(), "})")
	}
	return w.items("{", s.Items(), "}")
}

func (w *textWriter) view(v *View) error {
	if err := w.t.AllocN(v.d.Len(), 2*slotSize); err != nil {
		return err
	}
	items := make([]Object, 0, v.d.Len())
	for i := v.d.next(0); i >= 0; i = v.d.next(i + 1) {
		items = append(items, v.at(i))
	}
	return w.items(v.TypeName()+"([", items, "])")
}

// FloatRepr is repr() of a float.
func FloatRepr(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return value.FormatFloat(f)
}

// quote writes a string as Python's repr does.
func quote(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	b := make([]byte, 0, len(s)+2)
	b = append(b, q)
	for _, r := range s {
		b = appendQuoted(b, r, q)
	}
	return string(append(b, q))
}

func appendQuoted(b []byte, r rune, q byte) []byte {
	switch {
	case r == rune(q) || r == '\\':
		return append(b, '\\', byte(r))
	case r == '\n':
		return append(b, `\n`...)
	case r == '\r':
		return append(b, `\r`...)
	case r == '\t':
		return append(b, `\t`...)
	case r >= ' ' && r < 0x7f:
		return append(b, byte(r))
	case r >= 0x7f && printable(r):
		return append(b, string(r)...)
	case r < 0x100:
		return appendHex(append(b, `\x`...), r, 2)
	case r < 0x10000:
		return appendHex(append(b, `\u`...), r, 4)
	}
	return appendHex(append(b, `\U`...), r, 8)
}

// printable tells whether str.isprintable holds for a character.
func printable(r rune) bool { return r == ' ' || unicode.IsPrint(r) }

func appendHex(b []byte, r rune, width int) []byte {
	h := strconv.FormatInt(int64(r), 16)
	for range width - len(h) {
		b = append(b, '0')
	}
	return append(b, h...)
}

func quoteBytes(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	b := append(make([]byte, 0, len(s)+2), q)
	for i := range len(s) {
		if c := s[i]; c < 0x7f {
			b = appendQuoted(b, rune(c), q)
		} else {
			b = appendHex(append(b, `\x`...), rune(c), 2)
		}
	}
	return string(append(b, q))
}

// ASCII is ascii(o), given repr(o).
func ASCII(repr string) string {
	b := make([]byte, 0, len(repr))
	for _, r := range repr {
		switch {
		case r < 0x80:
			b = append(b, byte(r))
		case r < 0x100:
			b = appendHex(append(b, `\x`...), r, 2)
		case r < 0x10000:
			b = appendHex(append(b, `\u`...), r, 4)
		default:
			b = appendHex(append(b, `\U`...), r, 8)
		}
	}
	return string(b)
}

// Quote is repr() of a string.
func Quote(s string) string { return quote(s) }
