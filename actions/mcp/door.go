package mcpactions

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/rest"
)

// door is where the requests of one session go out: it adds the headers, for
// the server's own host only, bounds what comes back, and remembers why the
// last request failed, which the protocol's errors do not tell.
type door struct {
	ctx    context.Context // of the session
	base   http.RoundTripper
	origin *url.URL
	header http.Header
	s      *session

	mu      sync.Mutex
	version string // of the protocol, once it is agreed upon
	last    error  // why the last request failed, or nil
}

func newDoor(ctx context.Context, s *session, at server) *door {
	d := &door{ctx: ctx, base: s.env.HTTP.Transport, header: at.header(), s: s, origin: &url.URL{}}
	if d.base == nil {
		d.base = http.DefaultTransport
	}
	if u, err := url.Parse(at.URL); err == nil {
		d.origin = u
	}
	return d
}

// RoundTrip implements [http.RoundTripper].
func (d *door) RoundTrip(req *http.Request) (*http.Response, error) {
	if d.ctx.Err() != nil { // also what the library sends afterwards
		return nil, context.Cause(d.ctx)
	}
	req = req.Clone(req.Context())
	d.dress(req)
	resp, err := d.base.RoundTrip(req)
	if err != nil {
		d.note(rest.Unreachable(d.ctx, d.s.name, err, d.s.hidden))
		return nil, err
	}
	body := io.ReadCloser(&limited{ReadCloser: resp.Body, left: most, door: d})
	if resp.StatusCode < 400 {
		d.note(nil)
		resp.Body = body
		return resp, nil
	}
	start, err := io.ReadAll(io.LimitReader(body, 4<<10))
	if err != nil {
		start = nil // the status says enough
	}
	d.note(rest.Failure(d.s.name, resp, start, d.s.env.Clock.Now(), d.s.hidden))
	resp.Body = rejoined{io.MultiReader(bytes.NewReader(start), body), body}
	return resp, nil
}

// dress adds the headers.
func (d *door) dress(req *http.Request) {
	if req.URL.Host != d.origin.Host || req.URL.Scheme != d.origin.Scheme {
		return
	}
	for name, values := range d.header {
		if name == "Host" {
			req.Host = values[0]
			continue
		}
		req.Header[name] = values
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	const version = "Mcp-Protocol-Version"
	if d.version != "" && req.Header.Get(version) == "" {
		req.Header.Set(version, d.version)
	}
}

// agreed notes the version of the protocol.
func (d *door) agreed(version string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.version = version
}

func (d *door) note(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = err
}

// failure returns why the last request failed, or nil.
func (d *door) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}

// limited is a body that fails when it is too long.
type limited struct {
	io.ReadCloser
	left int64
	door *door
}

// Read implements [io.Reader].
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		err = actions.Errorf(actions.CodeTooLarge, "%s: an answer is larger than %d bytes", l.door.s.name, most)
		l.door.note(err)
		return 0, err
	}
	return n, err
}

// rejoined is a body whose start was read already.
type rejoined struct {
	io.Reader
	io.Closer
}
