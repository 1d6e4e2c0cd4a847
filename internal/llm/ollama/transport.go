package ollama

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/tea-agents/tea/value"
)

// standIn is the host that the SDK believes to speak to: for one it knows, and
// wherever the environment says so, it signs requests with a key of the user's.
const standIn = "ollama.invalid"

// transport sends the SDK's requests to the real server, with our credentials
// in the place of its own, and with more in the body.
type transport struct {
	next http.RoundTripper
	base *url.URL
	key  string
	more value.Value
}

// RoundTrip implements [http.RoundTripper]. A request to another host is one
// that the server redirects: it goes on as it is, without credentials.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != standIn {
		return t.next.RoundTrip(req)
	}
	req = req.Clone(req.Context())
	to := *t.base
	to.Path, to.RawPath = strings.TrimRight(t.base.Path, "/")+req.URL.Path, ""
	req.URL, req.Host = &to, ""
	req.Header.Del("Authorization")
	if t.key != "" {
		req.Header.Set("Authorization", "Bearer "+t.key)
	}
	if err := t.rewrite(req); err != nil {
		return nil, err
	}
	return t.next.RoundTrip(req)
}

func (t *transport) rewrite(req *http.Request) error {
	if t.more.Len() == 0 || req.Body == nil {
		return nil
	}
	defer req.Body.Close() //nolint:errcheck // it is in memory
	data, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	body, err := value.Parse(data)
	if err != nil {
		return err
	}
	data = merge(body, t.more).AppendJSON(nil)
	req.ContentLength = int64(len(data))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	req.Body, err = req.GetBody()
	return err
}
