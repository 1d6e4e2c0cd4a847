package cassette

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// reader takes an object apart, key by key, and notes all that is wrong.
type reader struct {
	path  string // of the object, with a final point, or ""
	left  map[string]value.Value
	known []string
	errs  *[]error
}

// read begins to take v apart.
func read(path string, v value.Value, errs *[]error) *reader {
	r := &reader{path: path, left: make(map[string]value.Value, v.Len()), errs: errs}
	if v.Kind() != value.KindObject && !v.IsNull() {
		r.fail("this is a %s, not an object", v.Kind())
	}
	for k, m := range v.Members() {
		r.left[k] = m
	}
	return r
}

func (r *reader) fail(format string, args ...any) {
	where := ""
	if r.path != "" {
		where = r.path[:len(r.path)-1] + ": "
	}
	*r.errs = append(*r.errs, errors.New(where+fmt.Sprintf(format, args...)))
}

// take returns what is under key, and null if there is nothing.
func (r *reader) take(key string) value.Value {
	v := r.left[key]
	delete(r.left, key)
	r.known = append(r.known, key)
	return v
}

// of is take for a value of one kind.
func (r *reader) of(kind value.Kind, key string) value.Value {
	v := r.take(key)
	if !v.IsNull() && v.Kind() != kind {
		r.fail("%s is a %s, not a %s", key, v.Kind(), kind)
		return value.Null()
	}
	return v
}

func (r *reader) text(key string) string { return r.of(value.KindString, key).Text() }

func (r *reader) int(key string) int64 {
	i, _ := r.of(value.KindInt, key).AsInt()
	return i
}

func (r *reader) bool(key string) bool {
	b, _ := r.of(value.KindBool, key).AsBool()
	return b
}

func (r *reader) list(key string) []value.Value {
	var all []value.Value
	for _, item := range r.of(value.KindList, key).Items() {
		all = append(all, item)
	}
	return all
}

func (r *reader) object(key string) *reader {
	return read(r.path+key+".", r.of(value.KindObject, key), r.errs)
}

func (r *reader) time(key string) time.Time {
	s := r.text(key)
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		r.fail("%s is %q, not a time such as 2026-01-02T15:04:05Z", key, s)
	}
	return t
}

func (r *reader) duration(key string) time.Duration {
	s := r.text(key)
	if s == "" {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		r.fail("%s is %q, not a duration such as 1.5s", key, s)
	}
	return d
}

// bytes reads what fields.bytes wrote.
func (r *reader) bytes(key string) []byte {
	encoded := r.text(key + suffixBase64)
	if encoded != "" {
		b, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			r.fail("%s is not base64: %v", key+suffixBase64, err)
		}
		return b
	}
	if s := r.text(key); s != "" {
		return []byte(s)
	}
	return nil
}

// end notes keys that nobody asked for.
func (r *reader) end() {
	for _, key := range slices.Sorted(maps.Keys(r.left)) {
		r.fail("unknown key %q; %s", key, diag.DidYouMean(key, r.known))
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
