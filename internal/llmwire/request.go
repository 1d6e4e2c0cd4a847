package llmwire

import (
	"bytes"
	"encoding/base64"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

// Request is what a request asks.
type Request struct {
	Model  string
	Prompt string // readable: "system: …\nuser: …"
}

// Request reads the body of a request to e. It never fails: what is not there
// is "".
func (e Endpoint) Request(body []byte) Request {
	r := Request{Model: e.Model}
	if e.Dialect == Plain && e.Provider == "" {
		return r
	}
	v, err := value.Parse(body)
	if err != nil {
		return r
	}
	if r.Model == "" {
		r.Model = v.At("model").Text()
	}
	r.Prompt = prompt(e.Dialect, v)
	return r
}

// Body returns the canonical form of a request's body and what to call it: body
// for the value that JSON spells, exact to the last digit; body_text when it is
// not JSON; body_base64 when it is not text either; "" when there is none. In a
// multipart body the boundary, which clients draw by lot, is replaced by a fixed
// one; all else is as it was sent.
func Body(contentType string, body []byte) (name string, v value.Value) {
	if len(body) == 0 {
		return "", value.Null()
	}
	kind, params, _ := mime.ParseMediaType(contentType)
	if kind == "" || isJSON(kind) || body[0] == '{' {
		if v, err := value.Parse(body); err == nil {
			return "body", v
		}
	}
	multipart := strings.HasPrefix(kind, "multipart/")
	if boundary := params["boundary"]; multipart && boundary != "" {
		body = bytes.ReplaceAll(body, []byte("--"+boundary), []byte("--boundary"))
	}
	if !multipart && utf8.Valid(body) && bytes.IndexByte(body, 0) < 0 {
		return "body_text", value.String(string(body))
	}
	return "body_base64", value.String(base64.StdEncoding.EncodeToString(body))
}

func isJSON(kind string) bool {
	return kind == "application/json" || strings.HasSuffix(kind, "+json")
}
