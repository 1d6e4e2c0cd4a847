package schema

import (
	"reflect"
	"strconv"
	"time"

	"github.com/tea-agents/tea/value"
)

// value stores v in dst, unless v stands for something that is not there yet.
func (d *decoder) value(t *typ, v value.Value, dst reflect.Value) {
	if d.dynamic != nil && v.Kind() == value.KindString && d.dynamic(v.Text()) {
		return
	}
	if t.pointer {
		if v.IsNull() {
			return
		}
		dst.Set(reflect.New(t.goType.Elem()))
		dst = dst.Elem()
	}
	switch t.kind {
	case kindAny:
		dst.Set(reflect.ValueOf(v))
	case kindLate:
		dst.Set(reflect.ValueOf(Rendered{Value: v, Set: true}))
	case kindStruct:
		d.object(t.object, v, dst)
	case kindList:
		d.list(t, v, dst)
	case kindMap:
		d.mapping(t, v, dst)
	default:
		d.scalar(t, v, dst)
	}
}

func (d *decoder) list(t *typ, v value.Value, dst reflect.Value) {
	if v.Kind() != value.KindList {
		d.mismatch(t, v)
		return
	}
	d.bounds(t, float64(v.Len()), "elements")
	dst.Set(reflect.MakeSlice(dst.Type(), v.Len(), v.Len()))
	for i, item := range v.Items() {
		d.within(strconv.Itoa(i), func() { d.value(t.elem, item, dst.Index(i)) })
	}
}

func (d *decoder) mapping(t *typ, v value.Value, dst reflect.Value) {
	if v.Kind() != value.KindObject {
		d.mismatch(t, v)
		return
	}
	d.bounds(t, float64(v.Len()), "members")
	dst.Set(reflect.MakeMapWithSize(dst.Type(), v.Len()))
	for key, item := range v.Members() {
		d.within(key, func() {
			elem := reflect.New(dst.Type().Elem()).Elem()
			d.value(t.elem, item, elem)
			dst.SetMapIndex(reflect.ValueOf(key).Convert(dst.Type().Key()), elem)
		})
	}
}

func (d *decoder) scalar(t *typ, v value.Value, dst reflect.Value) {
	ok := false
	switch t.kind {
	case kindString:
		var s string
		if s, ok = toString(v); ok {
			dst.SetString(s)
			d.text(t, s)
		}
	case kindBool:
		var b bool
		if b, ok = toBool(v); ok {
			dst.SetBool(b)
		}
	case kindInt:
		var i int64
		if i, ok = toInt(v); ok && !dst.OverflowInt(i) {
			dst.SetInt(i)
			d.bounds(t, float64(i), "")
		} else {
			ok = false
		}
	case kindFloat:
		var f float64
		if f, ok = toFloat(v); ok {
			dst.SetFloat(f)
			d.bounds(t, f, "")
		}
	case kindDuration:
		var span time.Duration
		if span, ok = toDuration(v); ok {
			dst.SetInt(int64(span))
			d.bounds(t, span.Seconds(), "")
		}
	}
	if !ok {
		d.mismatch(t, v)
	}
}
