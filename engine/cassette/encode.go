package cassette

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/tea-agents/tea/engine/cassette/internal/tree"
	"github.com/tea-agents/tea/value"
)

// fields collects the fields of an object; what is empty is left out.
type fields struct{ all []tree.Field }

func (f *fields) node(key string, n tree.Node)  { f.all = append(f.all, tree.F(key, n)) }
func (f *fields) add(key string, v value.Value) { f.node(key, tree.Value(v)) }

func (f *fields) text(key, s string) {
	if s != "" {
		f.node(key, tree.String(s))
	}
}

func (f *fields) value(key string, v value.Value) {
	if !v.IsNull() {
		f.add(key, v)
	}
}

// bytes writes text as it is and anything else in base64, under another key.
func (f *fields) bytes(key string, b []byte) {
	switch {
	case len(b) == 0:
	case utf8.Valid(b):
		f.node(key, tree.String(string(b)))
	default:
		f.node(key+suffixBase64, tree.String(base64.StdEncoding.EncodeToString(b)))
	}
}

const suffixBase64 = "_base64"

func (f *fields) duration(key string, d time.Duration) {
	if d != 0 {
		f.node(key, tree.String(d.String()))
	}
}

// encodeCall returns a call in the order in which it is written. If whole, a
// body stands there even where the chunks make it up.
func encodeCall(c *Call, whole bool) []tree.Field {
	f := fields{}
	f.node("provider", tree.String(c.Provider))
	f.text("node", c.Node)
	f.text("id", c.ID)
	f.text("model", c.Model)
	f.text("endpoint", c.Endpoint)
	f.text("hash", ShortHash(c.Hash))
	f.text("sha256", c.Hash)
	f.text("prompt", c.Prompt)
	f.add("request", c.Key)
	f.node("response", encodeResponse(&c.Response, whole))
	f.value("usage", c.Usage)
	if len(c.Chunks) > 0 {
		f.node("chunks", encodeChunks(c.Chunks))
	}
	f.add("complete", value.Bool(c.Complete))
	f.node("duration", tree.String(c.Duration.String()))
	return f.all
}

func encodeResponse(r *Response, whole bool) tree.Node {
	f := fields{}
	if r.isHTTP() {
		f.add("status", value.Int(int64(r.Status)))
	}
	if len(r.Header) > 0 {
		f.node("header", encodeHeader(r.Header))
	}
	if r.Failure != nil {
		f.node("error", encodeFailure(r.Failure))
	}
	f.text("text_response", r.Text)
	if len(r.ToolUses) > 0 {
		f.add("tool_uses", value.List(slices.Clone(r.ToolUses)...))
	}
	switch {
	case !r.isHTTP():
		f.value("body", r.Output)
	default:
		f.value("output", r.Output)
		if whole || !r.bodyInChunks() {
			f.bytes("body", r.Body)
		}
	}
	f.bytes("raw", r.Raw)
	return tree.Object(f.all...)
}

func (r *Response) isHTTP() bool { return r.Status != 0 || len(r.Header) > 0 || len(r.Body) > 0 }

// bodyInChunks tells whether the chunks make up the body.
func (r *Response) bodyInChunks() bool {
	return len(r.Chunks) > 0 && bytes.Equal(r.Body, joined(r.Chunks))
}

func joined(chunks []Chunk) []byte {
	var all []byte
	for _, c := range chunks {
		all = append(all, c.Bytes...)
	}
	return all
}

func encodeHeader(h http.Header) tree.Node {
	f := fields{}
	for _, name := range sortedKeys(h) {
		if values := h[name]; len(values) == 1 {
			f.node(name, tree.String(values[0]))
		} else {
			f.add(name, stringList(values))
		}
	}
	return tree.Object(f.all...)
}

func encodeFailure(e *Failure) tree.Node {
	f := fields{}
	f.text("code", e.Code)
	f.text("message", e.Message)
	f.duration("retry_after", e.RetryAfter)
	return tree.Object(f.all...)
}

func encodeChunks(chunks []Chunk) tree.Node {
	items := make([]tree.Node, len(chunks))
	for i, c := range chunks {
		f := fields{}
		f.node("after", tree.String(c.After.String()))
		f.value("data", c.Data)
		f.bytes("bytes", c.Bytes)
		items[i] = tree.Object(f.all...)
	}
	return tree.List(items...)
}
