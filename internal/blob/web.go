package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// web reads files over HTTP.
type web struct{ client *http.Client }

func (w web) read(ctx context.Context, l location) (io.ReadCloser, Info, error) {
	resp, err := w.do(ctx, http.MethodGet, l.key)
	if err != nil {
		return nil, Info{}, err
	}
	return resp.Body, webInfo(resp), nil
}

// stat asks for the headers, and for the whole where a server refuses that.
func (w web) stat(ctx context.Context, l location) (Info, error) {
	resp, err := w.do(ctx, http.MethodHead, l.key)
	if errors.Is(err, errMethod) {
		resp, err = w.do(ctx, http.MethodGet, l.key)
	}
	if err != nil {
		return Info{}, err
	}
	_ = resp.Body.Close()
	return webInfo(resp), nil
}

func webInfo(resp *http.Response) Info {
	info := Info{
		Size:        resp.ContentLength,
		ETag:        resp.Header.Get("ETag"),
		ContentType: resp.Header.Get("Content-Type"),
	}
	if t, err := http.ParseTime(resp.Header.Get("Last-Modified")); err == nil {
		info.ModTime = t
	}
	return info
}

// do sends a request for the file as it is, uncompressed, so that its size and
// hash are those of the file.
func (w web) do(ctx context.Context, method, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, invalidf("not a web address")
	}
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := w.client.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) { // its text repeats the address
			err = ue.Err
		}
		return nil, err
	}
	if err := statusError(resp); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// errMethod is the answer of a server that knows no HEAD.
var errMethod = fmt.Errorf("method refused: %w", ErrUnsupported)

func statusError(resp *http.Response) error {
	status := errors.New(strings.ToLower(resp.Status))
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
		return nil
	case code == http.StatusNotFound, code == http.StatusGone:
		return &kindError{ErrNotFound, status}
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusProxyAuthRequired:
		return &kindError{ErrDenied, status}
	case code == http.StatusMethodNotAllowed, code == http.StatusNotImplemented:
		return errMethod
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		return &kindError{ErrUnavailable, status}
	}
	return &kindError{ErrInvalid, fmt.Errorf("the server answered %w", status)}
}

var errReadOnly = fmt.Errorf("files on the web can only be read: %w", ErrUnsupported)

func (web) write(context.Context, location, io.Reader, WriteOptions) error { return errReadOnly }

func (web) remove(context.Context, location) error { return errReadOnly }

func (web) list(context.Context, location, ListOptions) (Listing, error) {
	return Listing{}, errReadOnly
}
