package cassette

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// acceptDecodable makes req ask for an encoding that decode knows, whatever the
// client would take.
func acceptDecodable(req *http.Request) {
	encoding := "gzip"
	if req.Header.Get("Range") != "" || req.Method == http.MethodHead {
		encoding = "identity"
	}
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Accept-Encoding", encoding)
}

// decode replaces the body of res by what it stands for. An encoding that is not
// known stays as it is.
func decode(res *http.Response) {
	if res.Body == nil || res.Body == http.NoBody || res.ContentLength == 0 {
		return
	}
	var open func(io.Reader) (io.Reader, error)
	switch strings.ToLower(res.Header.Get("Content-Encoding")) {
	case "gzip", "x-gzip":
		open = func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	case "deflate":
		open = inflate
	case "identity":
		res.Header.Del("Content-Encoding")
		return
	default:
		return
	}
	res.Body = &decoder{source: res.Body, open: open}
	res.Header.Del("Content-Encoding")
	res.Header.Del("Content-Length")
	res.ContentLength = -1
	res.Uncompressed = true
}

// inflate reads deflate with the wrapper that it should have, or without, as
// some servers send it.
func inflate(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(2)
	if err != nil {
		return nil, err
	}
	const method, window = 0x0f, 8
	if head[0]&method == window && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(b)
	}
	return flate.NewReader(b), nil
}

// decoder decodes a body while it is read. The beginning is read with the first
// Read, so that a slow body does not delay the headers.
type decoder struct {
	source io.ReadCloser
	open   func(io.Reader) (io.Reader, error)
	reader io.Reader
	err    error
}

// Read implements io.Reader.
func (d *decoder) Read(p []byte) (int, error) {
	if d.reader == nil && d.err == nil {
		if d.reader, d.err = d.open(d.source); d.err != nil {
			d.err = fmt.Errorf("a compressed body: %w", unexpected(d.err))
		}
	}
	if d.err != nil {
		return 0, d.err
	}
	return d.reader.Read(p)
}

// unexpected tells that what ends here should not.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Close implements io.Closer.
func (d *decoder) Close() error { return d.source.Close() }
