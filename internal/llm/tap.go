package llm

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

const (
	// maxAnswer bounds the body of a response, in bytes after decoding.
	maxAnswer = 64 << 20
	// maxRest is how much of a body that was not wanted to its end is read, so
	// that Raw is whole where only an end of line or the like was left.
	maxRest = 64 << 10
)

// errTooLarge ends a body over maxAnswer.
var errTooLarge = fmt.Errorf("the answer is over %d MiB", maxAnswer>>20)

// errNotRead is why a body counts as broken that nobody read to its end.
var errNotRead = errors.New("the answer was not read to its end")

// Tap is the transport of one call: it adds the headers of the Config to the
// request and keeps what the provider sent, byte for byte, which SDKs do not
// show. It is safe for concurrent use; the last response counts.
type Tap struct {
	config Config
	base   http.RoundTripper

	mu     sync.Mutex
	host   string // of the first request: headers are for nobody else
	status int
	header http.Header
	raw    bytes.Buffer
	whole  bool  // the body came to its end
	ended  error // what cut it short, if it did
}

// Tap returns a client like c.HTTP for a single call of a provider, whose
// transport is a new Tap. The body of the response must be closed, as SDKs do.
func (c Config) Tap() (*http.Client, *Tap) {
	client := http.Client{}
	if c.HTTP != nil {
		client = *c.HTTP
	}
	t := &Tap{config: c, base: client.Transport}
	if t.base == nil {
		t.base = http.DefaultTransport
	}
	client.Transport = t
	return &client, t
}

// RoundTrip implements http.RoundTripper.
func (t *Tap) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.first(r.URL.Host) && len(t.config.Headers) > 0 {
		r = r.Clone(r.Context())
		for name, values := range t.config.Headers {
			r.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body := resp.Body
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		body = &unzipped{packed: body}
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
	t.start(resp.StatusCode, resp.Header)
	resp.Body = &tapped{tap: t, body: body}
	return resp, nil
}

// first tells whether host is that of the first request.
func (t *Tap) first(host string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.host == "" {
		t.host = host
	}
	return t.host == host
}

func (t *Tap) start(status int, header http.Header) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status, t.header, t.whole, t.ended = status, header.Clone(), false, nil
	t.raw.Reset()
}

// Raw returns what came of the body so far, decoded; nil if there was none.
func (t *Tap) Raw() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.raw.Bytes())
}

// Status returns the status of the response, 0 if there was none.
func (t *Tap) Status() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.status
}

// Ended returns nil when the body came to its end as the protocol says, else
// what cut it short. A body without a length may end well for the protocol and
// yet be cut: whether the answer is whole is for its dialect to tell.
func (t *Tap) Ended() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended == nil && !t.whole {
		return errNotRead
	}
	return t.ended
}

// keep notes a piece of the body and how reading went, and returns what the
// reader is to be told.
func (t *Tap) keep(piece []byte, err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.raw.Len()+len(piece) > maxAnswer {
		t.ended = errTooLarge
		return errTooLarge
	}
	t.raw.Write(piece)
	if err == io.EOF { //nolint:errorlint // a reader's end is io.EOF itself; wrapped, it is a failure
		t.whole = true
	} else {
		t.ended = err
	}
	return err
}

// tapped is a body that is kept while it is read.
type tapped struct {
	tap    *Tap
	body   io.ReadCloser
	failed error
}

// Read implements io.Reader.
func (b *tapped) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.body.Read(p)
	b.failed = b.tap.keep(p[:n], err)
	return n, b.failed
}

// Close implements io.Closer. It reads the little that may be left first.
func (b *tapped) Close() error {
	if b.failed == nil {
		_, _ = io.CopyN(io.Discard, b, maxRest) // Ended tells how it went
	}
	b.failed = http.ErrBodyReadAfterClose
	return b.body.Close()
}

// unzipped decodes a body that is compressed though nobody asked for it.
type unzipped struct {
	packed io.ReadCloser
	plain  *gzip.Reader
}

// Read implements io.Reader.
func (u *unzipped) Read(p []byte) (int, error) {
	if u.plain == nil {
		r, err := gzip.NewReader(u.packed)
		if err != nil {
			return 0, err
		}
		u.plain = r
	}
	return u.plain.Read(p)
}

// Close implements io.Closer.
func (u *unzipped) Close() error { return u.packed.Close() }
