package gemini

import (
	"errors"
	"io"
	"net/http"
)

// transport keeps two habits of the SDK from acting: it wants a key, and it
// writes to the log when a body breaks off. What stands in for a key is taken
// away, and a body that breaks off seems to end; the exchange knows better.
type transport struct {
	next    http.RoundTripper
	keyless bool
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.keyless {
		req = req.Clone(req.Context())
		req.Header.Del(keyHeader)
	}
	resp, err := t.next.RoundTrip(req)
	if err == nil {
		resp.Body = quiet{resp.Body}
	}
	return resp, err
}

type quiet struct{ io.ReadCloser }

func (q quiet) Read(p []byte) (int, error) {
	n, err := q.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = io.EOF
	}
	return n, err
}
