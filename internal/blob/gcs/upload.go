package gcs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gocloud.dev/blob/driver"
)

// NewTypedWriter implements driver.Bucket.
func (b *bucket) NewTypedWriter(
	ctx context.Context, key, contentType string, opts *driver.WriterOptions,
) (driver.Writer, error) {
	if opts.ContentEncoding+opts.ContentLanguage+opts.ContentDisposition+opts.CacheControl+string(opts.ContentMD5) != "" ||
		len(opts.Metadata) > 0 {
		return nil, errUnimplemented
	}
	w := &writer{ctx: ctx, b: b, contentType: contentType, query: url.Values{"name": {key}}}
	if opts.IfNotExist {
		w.query.Set("ifGenerationMatch", "0")
	}
	return w, nil
}

// writer implements driver.Writer and driver.Uploader. What fits into a chunk is
// sent with one request when it is closed; more goes chunk by chunk into an
// upload that can be resumed. Nothing is an object before the last byte.
type writer struct {
	ctx         context.Context
	b           *bucket
	contentType string
	query       url.Values
	session     string // address of the upload
	buf         []byte // not sent yet
	sent        int64
	err         error
}

// Upload implements driver.Uploader.
func (w *writer) Upload(r io.Reader) error {
	_, err := io.Copy(struct{ io.Writer }{w}, r)
	if err != nil {
		w.err = err
	}
	return err
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	n := len(p)
	for w.err == nil && len(p) > 0 {
		if len(w.buf) == w.b.chunk {
			w.err = w.flush(false)
			continue
		}
		k := min(w.b.chunk-len(w.buf), len(p))
		w.buf = append(w.buf, p[:k]...)
		p = p[k:]
	}
	return n - len(p), w.err
}

// Close implements io.Closer. It makes the object, unless something failed.
func (w *writer) Close() error {
	if w.err == nil {
		w.err = context.Cause(w.ctx)
	}
	switch {
	case w.err != nil:
	case w.session == "":
		_, w.err = w.post("media", "Content-Type", w.buf)
	default:
		w.err = w.flush(true)
	}
	return w.err
}

// post makes an object of body or begins an upload.
func (w *writer) post(uploadType, typeHeader string, body []byte) (*http.Response, error) {
	w.query.Set("uploadType", uploadType)
	resp, err := w.b.do(w.ctx, request{
		method: http.MethodPost, body: body, once: w.query.Has("ifGenerationMatch") && uploadType == "media",
		url:    w.b.server + "/upload/storage/v1/b/" + url.PathEscape(w.b.name) + "/o?" + w.query.Encode(),
		header: http.Header{typeHeader: {w.contentType}},
	})
	if err != nil {
		return nil, err
	}
	return resp, resp.Body.Close()
}

func (w *writer) begin() error {
	resp, err := w.post("resumable", "X-Upload-Content-Type", nil)
	if err != nil {
		return err
	}
	if w.session = resp.Header.Get("Location"); w.session == "" {
		return errors.New("the server begins no upload")
	}
	return nil
}

// flush sends the buffer, asking after each failure how much has arrived.
func (w *writer) flush(last bool) error {
	if w.session == "" {
		if err := w.begin(); err != nil {
			return err
		}
	}
	for attempt, ask := 0, false; ; attempt++ {
		done, err := w.put(ask, last)
		switch {
		case err == nil && (done || len(w.buf) == 0 && !last):
			return nil
		case err == nil && attempt > retries:
			return errors.New("the server does not take the upload")
		case err != nil && (attempt > retries || !request{}.again(w.ctx, err)):
			return err
		}
		ask = err != nil
		if err := w.b.wait(w.ctx, firstWait<<attempt); err != nil {
			return err
		}
	}
}

// put sends the buffer or, to ask, nothing, and drops from the buffer what the
// server has. It reports whether the object is complete.
func (w *writer) put(ask, last bool) (done bool, err error) {
	body, span, total := w.buf, "*", "*"
	if ask {
		body = nil
	}
	if len(body) > 0 {
		span = fmt.Sprintf("%d-%d", w.sent, w.sent+int64(len(body))-1)
	}
	if last {
		total = strconv.FormatInt(w.sent+int64(len(w.buf)), 10)
	}
	resp, err := w.b.send(w.ctx, request{
		method: http.MethodPut, url: w.session, body: body,
		header: http.Header{"Content-Range": {"bytes " + span + "/" + total}},
	})
	if err != nil {
		return false, err
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusPermanentRedirect {
		return err == nil, err
	}
	has := int64(0)
	if _, end, ok := strings.Cut(resp.Header.Get("Range"), "-"); ok {
		if has, err = strconv.ParseInt(end, 10, 64); err != nil {
			return false, fmt.Errorf("the server has an unknown part of the upload: %w", err)
		}
		has++
	}
	if has < w.sent || has > w.sent+int64(len(w.buf)) {
		return false, fmt.Errorf("the server has %d bytes of the upload, which are not those it confirmed", has)
	}
	w.buf = w.buf[:copy(w.buf, w.buf[has-w.sent:])]
	w.sent = has
	return false, nil
}
