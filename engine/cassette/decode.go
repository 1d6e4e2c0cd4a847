package cassette

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
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

// decodeCall reads a call.
func decodeCall(v value.Value) (Call, error) {
	var errs []error
	r := read("", v, &errs)
	c := readCall(r)
	r.end()
	return c, errors.Join(errs...)
}

// readCall takes a call out of r.
func readCall(r *reader) Call {
	c := Call{
		Request: Request{
			Provider: r.text("provider"), Node: r.text("node"), ID: r.text("id"), Model: r.text("model"),
			Endpoint: r.text("endpoint"), Prompt: r.text("prompt"),
		},
	}
	short := r.text("hash")
	c.Hash = r.text("sha256")
	c.Key = r.take("request")
	c.Response = readResponse(r.object("response"))
	c.Usage = r.take("usage")
	c.Chunks = readChunks(r)
	_, said := r.left["complete"] // one who writes a call by hand may leave it out
	c.Complete, c.Duration = r.bool("complete") || !said, r.duration("duration")
	if len(c.Body) == 0 && c.isHTTP() {
		c.Body = joined(c.Chunks)
	}
	if c.Hash != "" && (len(c.Hash) != fullHash || short != "" && short != ShortHash(c.Hash)) {
		r.fail("the hash %q and the sha256 %q do not belong together", short, c.Hash)
	}
	return c
}

func readResponse(r *reader) Response {
	var res Response
	_, http := r.left["status"]
	res.Status = int(r.int("status"))
	res.Header = readHTTPHeader(r)
	if _, failed := r.left["error"]; failed {
		f := r.object("error")
		res.Failure = &Failure{Code: f.text("code"), Message: f.text("message"), RetryAfter: f.duration("retry_after")}
		f.end()
	}
	res.Text = r.text("text_response")
	res.ToolUses = r.list("tool_uses")
	if http {
		res.Body, res.Output = r.bytes("body"), r.take("output")
	} else {
		res.Output = r.take("body")
	}
	res.Raw = r.bytes("raw")
	r.end()
	return res
}

func readHTTPHeader(r *reader) http.Header {
	from := r.of(value.KindObject, "header")
	if from.Len() == 0 {
		return nil
	}
	h := make(http.Header, from.Len())
	for name, v := range from.Members() {
		if v.Kind() != value.KindList {
			v = value.List(v)
		}
		for _, item := range v.Items() {
			h[name] = append(h[name], item.Text())
		}
	}
	return h
}

func readChunks(r *reader) []Chunk {
	var all []Chunk
	for i, item := range r.list("chunks") {
		c := read(fmt.Sprintf("%schunks[%d].", r.path, i), item, r.errs)
		all = append(all, Chunk{After: c.duration("after"), Data: c.take("data"), Bytes: c.bytes("bytes")})
		c.end()
	}
	return all
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
