package gcs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// Options says what to open.
type Options struct {
	Client *http.Client // adds the credentials
	Server string       // "" is https://storage.googleapis.com
	Bucket string
	Chunk  int // bytes sent at once, a multiple of 256 KiB; 0 is 8 MiB
	// Wait passes the time between two attempts; nil sleeps.
	Wait func(ctx context.Context, d time.Duration) error
}

// Open returns a bucket. It asks the server nothing.
func Open(o Options) *blob.Bucket {
	server := strings.TrimRight(cmp.Or(o.Server, "https://storage.googleapis.com"), "/")
	b := &bucket{
		client: o.Client, server: strings.TrimSuffix(server, "/storage/v1"), name: o.Bucket,
		chunk: cmp.Or(o.Chunk, 8<<20), wait: o.Wait,
	}
	if b.wait == nil {
		b.wait = sleep
	}
	return blob.NewBucket(b)
}

// bucket implements driver.Bucket.
type bucket struct {
	client *http.Client
	server string // without the path that all addresses of the API have
	name   string
	chunk  int
	wait   func(ctx context.Context, d time.Duration) error
}

var errUnimplemented = errors.New("the driver cannot do this")

// object is what the API tells of an object.
type object struct {
	Name        string    `json:"name"`
	Size        int64     `json:"size,string"`
	Updated     time.Time `json:"updated"`
	ETag        string    `json:"etag"`
	ContentType string    `json:"contentType"`
}

func (b *bucket) objects() string { return b.server + "/storage/v1/b/" + url.PathEscape(b.name) + "/o" }

func (b *bucket) object(key string) string { return b.objects() + "/" + url.PathEscape(key) }

// ErrorCode implements driver.Bucket.
func (b *bucket) ErrorCode(err error) gcerrors.ErrorCode {
	if errors.Is(err, errUnimplemented) {
		return gcerrors.Unimplemented
	}
	var failed *statusError
	if !errors.As(err, &failed) {
		return gcerrors.Unknown
	}
	switch failed.status {
	case http.StatusNotFound, http.StatusGone:
		return gcerrors.NotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return gcerrors.PermissionDenied
	case http.StatusPreconditionFailed:
		return gcerrors.FailedPrecondition
	case http.StatusTooManyRequests:
		return gcerrors.ResourceExhausted
	case http.StatusBadRequest:
		return gcerrors.InvalidArgument
	}
	return gcerrors.Unknown
}

// As implements driver.Bucket. It gives *Options, with the server's address
// filled in, to who speaks to the server in other words.
func (b *bucket) As(i any) bool {
	o, ok := i.(*Options)
	if ok {
		*o = Options{Client: b.client, Server: b.server, Bucket: b.name, Chunk: b.chunk, Wait: b.wait}
	}
	return ok
}

// ErrorAs implements driver.Bucket.
func (b *bucket) ErrorAs(error, any) bool { return false }

// Attributes implements driver.Bucket.
func (b *bucket) Attributes(ctx context.Context, key string) (*driver.Attributes, error) {
	var o object
	if err := b.get(ctx, b.object(key), &o); err != nil {
		return nil, err
	}
	return &driver.Attributes{ContentType: o.ContentType, ModTime: o.Updated, Size: o.Size, ETag: o.ETag}, nil
}

// ListPaged implements driver.Bucket.
func (b *bucket) ListPaged(ctx context.Context, opts *driver.ListOptions) (*driver.ListPage, error) {
	q := url.Values{"prefix": {opts.Prefix}, "delimiter": {opts.Delimiter}, "pageToken": {string(opts.PageToken)}}
	if opts.PageSize > 0 {
		q.Set("maxResults", strconv.Itoa(opts.PageSize))
	}
	var found struct {
		Items    []object `json:"items"`
		Prefixes []string `json:"prefixes"`
		Next     string   `json:"nextPageToken"`
	}
	if err := b.get(ctx, b.objects()+"?"+q.Encode(), &found); err != nil {
		return nil, err
	}
	page := &driver.ListPage{NextPageToken: []byte(found.Next)}
	for _, o := range found.Items {
		page.Objects = append(page.Objects, &driver.ListObject{Key: o.Name, ModTime: o.Updated, Size: o.Size})
	}
	for _, prefix := range found.Prefixes {
		page.Objects = append(page.Objects, &driver.ListObject{Key: prefix, IsDir: true})
	}
	slices.SortFunc(page.Objects, func(a, b *driver.ListObject) int { return strings.Compare(a.Key, b.Key) })
	return page, nil
}

// Delete implements driver.Bucket.
func (b *bucket) Delete(ctx context.Context, key string, _ *driver.DeleteOptions) error {
	resp, err := b.do(ctx, request{method: http.MethodDelete, url: b.object(key), once: true})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// NewRangeReader implements driver.Bucket.
func (b *bucket) NewRangeReader(
	ctx context.Context, key string, offset, length int64, _ *driver.ReaderOptions,
) (driver.Reader, error) {
	if offset != 0 || length >= 0 {
		return nil, errUnimplemented
	}
	resp, err := b.do(ctx, request{method: http.MethodGet, url: b.object(key) + "?alt=media"})
	if err != nil {
		return nil, err
	}
	attrs := driver.ReaderAttributes{ContentType: resp.Header.Get("Content-Type"), Size: resp.ContentLength}
	attrs.ModTime, _ = http.ParseTime(resp.Header.Get("Last-Modified"))
	return &reader{resp.Body, attrs}, nil
}

// reader implements driver.Reader.
type reader struct {
	io.ReadCloser
	attrs driver.ReaderAttributes
}

// Attributes implements driver.Reader.
func (r *reader) Attributes() *driver.ReaderAttributes { return &r.attrs }

// As implements driver.Reader.
func (r *reader) As(any) bool { return false }

// Copy implements driver.Bucket.
func (b *bucket) Copy(context.Context, string, string, *driver.CopyOptions) error {
	return errUnimplemented
}

// SignedURL implements driver.Bucket.
func (b *bucket) SignedURL(context.Context, string, *driver.SignedURLOptions) (string, error) {
	return "", errUnimplemented
}

// Close implements driver.Bucket.
func (b *bucket) Close() error { return nil }
