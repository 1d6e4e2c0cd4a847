package cassette

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/tea-agents/tea/value"
)

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
