package value

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
)

// Float returns a float. NaN and infinities can be carried, but have no
// canonical form: see [Value.Check].
func Float(f float64) Value { return Value{kind: KindFloat, num: int64(math.Float64bits(f))} }

// Number returns the number that the JSON literal text spells: an integer of
// any size when it has neither point nor exponent, else a float.
func Number(text string) (Value, error) {
	if !strings.ContainsAny(text, ".eE") {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return Int(n), nil
		}
		i, ok := new(big.Int).SetString(text, 10)
		if !ok {
			return Value{}, fmt.Errorf("%q is not a number", text)
		}
		return BigInt(i), nil
	}
	f, err := json.Number(text).Float64()
	if err != nil {
		return Value{}, fmt.Errorf("%s is beyond the range of a number", text)
	}
	return Float(f), nil
}

// From converts Go data: nil, booleans, numbers, json.Number, *big.Int,
// strings, Values, and slices and maps of these. A map's keys may be strings,
// booleans or numbers; they become strings, and two that become the same are
// an error. Everything else goes through its JSON encoding.
func From(x any) (Value, error) {
	switch x := x.(type) {
	case nil:
		return Value{}, nil
	case Value:
		return x, nil
	case bool:
		return Bool(x), nil
	case string:
		return String(x), nil
	case int:
		return Int(int64(x)), nil
	case int64:
		return Int(x), nil
	case float64:
		return Float(x), nil
	case json.Number:
		return Number(x.String())
	case *big.Int:
		return BigInt(x), nil
	case json.Marshaler:
		return fromJSON(x)
	}
	return fromReflect(reflect.ValueOf(x))
}

func fromJSON(x any) (Value, error) {
	data, err := json.Marshal(x)
	if err != nil {
		return Value{}, err
	}
	return Parse(data)
}

func fromReflect(r reflect.Value) (Value, error) {
	switch r.Kind() {
	case reflect.Bool:
		return Bool(r.Bool()), nil
	case reflect.String:
		return String(r.String()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Int(r.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return BigInt(new(big.Int).SetUint64(r.Uint())), nil
	case reflect.Float32, reflect.Float64:
		return Float(r.Float()), nil
	case reflect.Slice, reflect.Array:
		if r.Type().Elem().Kind() == reflect.Uint8 {
			return fromJSON(r.Interface())
		}
		return fromSlice(r)
	case reflect.Map:
		return fromMap(r)
	default:
		return fromJSON(r.Interface())
	}
}

func fromSlice(r reflect.Value) (Value, error) {
	items := make([]Value, r.Len())
	for i := range items {
		v, err := From(r.Index(i).Interface())
		if err != nil {
			return Value{}, fmt.Errorf("[%d]: %w", i, err)
		}
		items[i] = v
	}
	return List(items...), nil
}

func fromMap(r reflect.Value) (Value, error) {
	m := make(map[string]Value, r.Len())
	for it := r.MapRange(); it.Next(); {
		key, err := From(it.Key().Interface())
		if err != nil {
			return Value{}, err
		}
		if key.Kind() == KindList || key.Kind() == KindObject {
			return Value{}, fmt.Errorf("a %s cannot be a key", key.Kind())
		}
		name := key.str
		if key.Kind() != KindString {
			name = key.String()
		}
		if _, twice := m[name]; twice {
			return Value{}, fmt.Errorf("two keys read %q as text", name)
		}
		if m[name], err = From(it.Value().Interface()); err != nil {
			return Value{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return Map(m), nil
}

// Must is [From] for data known to be convertible, such as literals in tests.
// It panics when it is not.
func Must(x any) Value {
	v, err := From(x)
	if err != nil {
		panic("value: " + err.Error())
	}
	return v
}

// Any returns v as Go data: nil, bool, int64 (json.Number beyond it), float64,
// string, []any and map[string]any; a secret becomes its masked text.
func (v Value) Any() any {
	switch v.kind {
	case KindNull:
		return nil
	case KindBool:
		return v.num != 0
	case KindInt:
		if v.ref != nil {
			return json.Number(v.ref.big.String())
		}
		return v.num
	case KindFloat:
		return math.Float64frombits(uint64(v.num))
	case KindString:
		return v.str
	case KindSecret:
		return v.masked()
	case KindList:
		items := make([]any, len(v.ref.items))
		for i, m := range v.ref.items {
			items[i] = m.Any()
		}
		return items
	default:
		m := make(map[string]any, len(v.ref.items))
		for k, item := range v.Members() {
			m[k] = item.Any()
		}
		return m
	}
}
