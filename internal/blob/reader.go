package blob

import (
	"context"
	"errors"
	"io"
)

// reader counts, ends with its context, and sorts errors into the closed set.
type reader struct {
	ctx context.Context
	r   io.ReadCloser
	uri string
	n   int64
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, fail("read", r.uri, context.Cause(r.ctx))
	}
	n, err := r.r.Read(p)
	r.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fail("read", r.uri, err)
	}
	return n, err
}

// Close implements io.Closer.
func (r *reader) Close() error {
	return fail("read", r.uri, r.r.Close())
}
