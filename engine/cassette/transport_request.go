package cassette

import (
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/tea-agents/tea/internal/llmwire"
	"github.com/tea-agents/tea/value"
)

// exchange is a request over HTTP that was read to its end.
type exchange struct {
	request  Request
	endpoint llmwire.Endpoint
	body     []byte
	// credentials are those of the request: they do not belong into the record.
	credentials []string
}

// readExchange reads the body of req, and closes it, as a RoundTripper must.
func readExchange(req *http.Request) (*exchange, error) {
	x := &exchange{endpoint: llmwire.Recognize(req.Method, req.URL.Path, req.Header), credentials: credentials(req)}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		closed := req.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("the body of the request: %w", err)
		}
		if closed != nil {
			return nil, fmt.Errorf("the body of the request: %w", closed)
		}
		x.body = body
	}
	asked := x.endpoint.Request(x.body)
	x.request = Request{
		Provider: x.endpoint.Provider, Model: asked.Model, Endpoint: req.URL.Path, Prompt: asked.Prompt,
		Key: key(req, x.endpoint.Provider, x.body),
	}
	return x, nil
}

// key returns what makes a request over HTTP what it is.
func key(req *http.Request, provider string, body []byte) value.Value {
	method := req.Method
	if method == "" {
		method = http.MethodGet
	}
	members := []value.Member{value.M("method", value.String(method))}
	if provider == "" {
		members = append(members, value.M("url", value.String(wholeURL(req.URL))))
	} else {
		members = append(members, value.M("provider", value.String(provider)), value.M("path", value.String(req.URL.EscapedPath())))
		if q := openQuery(req.URL); q != "" {
			members = append(members, value.M("query", value.String(q)))
		}
	}
	if name, v := llmwire.Body(req.Header.Get("Content-Type"), body); name != "" {
		members = append(members, value.M(name, v))
	}
	return value.Object(members...)
}

// wholeURL returns u without who asks. What looks like a credential in it is
// masked like any other.
func wholeURL(u *url.URL) string {
	plain := *u
	plain.User, plain.Fragment, plain.RawFragment = nil, "", ""
	return plain.String()
}

// openQuery returns the query without credentials, its parameters sorted.
func openQuery(u *url.URL) string {
	q := u.Query()
	for name := range q {
		if namesQueryCredential(name) {
			q.Del(name)
		}
	}
	return q.Encode()
}
