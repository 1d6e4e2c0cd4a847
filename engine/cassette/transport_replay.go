package cassette

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// play returns a recorded call as an answer to req.
func (s *Session) play(req *http.Request, c *Call) (*http.Response, error) {
	if c.Status == 0 {
		return nil, fmt.Errorf("the recorded call %s is no answer over HTTP", ShortHash(c.Hash))
	}
	p := &player{ctx: req.Context(), session: s, chunks: c.Chunks, complete: c.Complete}
	header := c.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	res := &http.Response{
		Status:     fmt.Sprintf("%d %s", c.Status, http.StatusText(c.Status)),
		StatusCode: c.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: p, ContentLength: -1, Request: req,
	}
	if len(c.Chunks) > 0 {
		return res, nil
	}
	p.chunks = []Chunk{{Bytes: c.Body, After: c.Duration}}
	if c.Complete && req.Method != http.MethodHead {
		res.ContentLength = int64(len(c.Body))
		header.Set("Content-Length", strconv.Itoa(len(c.Body)))
	}
	return res, s.Pace(req.Context(), p.take().After)
}

// player is the body of a recorded answer. It gives one chunk at a time.
type player struct {
	ctx      context.Context // of the request that this body answers
	session  *Session
	complete bool

	mu      sync.Mutex
	chunks  []Chunk       // to come
	current []byte        // the rest of the one that is being read
	sent    time.Duration // when the current one came
	closed  bool
}

// Read implements io.Reader.
func (p *player) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.current) == 0 {
		switch {
		case p.closed:
			return 0, http.ErrBodyReadAfterClose
		case len(p.chunks) > 0:
		case p.complete:
			return 0, io.EOF
		default:
			return 0, io.ErrUnexpectedEOF
		}
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.current)
	p.current = p.current[n:]
	return n, nil
}

// next waits for the next chunk.
func (p *player) next() error {
	before := p.sent
	return p.session.Pace(p.ctx, p.take().After-before)
}

func (p *player) take() Chunk {
	c := p.chunks[0]
	p.chunks, p.current, p.sent = p.chunks[1:], c.Bytes, c.After
	return c
}

// Close implements io.Closer.
func (p *player) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed, p.current, p.chunks = true, nil, nil
	return nil
}
