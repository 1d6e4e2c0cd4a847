package blob

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"gocloud.dev/blob"
)

// Options configures a Storage. Nil and the zero value are ready to use.
type Options struct {
	HTTP *http.Client // for http and https; nil is http.DefaultClient
	Dir  string       // what plain paths are relative to; "" is the working directory
}

// Storage reads and writes files by URI. It is safe for concurrent use. New
// makes one; on a nil *Storage every operation fails with ErrUnavailable.
type Storage struct {
	http *http.Client
	dir  string

	mu      sync.Mutex
	closed  bool
	buckets map[string]*handle
}

// handle is one bucket, opened on first use.
type handle struct {
	mu sync.Mutex
	b  *blob.Bucket
}

// backend is one place where files are. Keys are what location.key holds.
type backend interface {
	read(ctx context.Context, l location) (io.ReadCloser, Info, error)
	write(ctx context.Context, l location, r io.Reader, o WriteOptions) error
	stat(ctx context.Context, l location) (Info, error)
	remove(ctx context.Context, l location) error
	list(ctx context.Context, l location, o ListOptions) (Listing, error)
}

// New returns a Storage. It opens nothing; Close releases what use opens.
func New(o *Options) *Storage {
	if o == nil {
		o = &Options{}
	}
	s := &Storage{http: o.HTTP, dir: o.Dir, buckets: map[string]*handle{}}
	if s.http == nil {
		s.http = http.DefaultClient
	}
	return s
}

// Close releases every bucket. Further use of buckets fails with ErrUnavailable.
func (s *Storage) Close() error {
	s.mu.Lock()
	s.closed = true
	handles := s.buckets
	s.buckets = nil
	s.mu.Unlock()
	var errs []error
	for _, h := range handles {
		h.mu.Lock()
		if h.b != nil {
			errs = append(errs, h.b.Close())
		}
		h.mu.Unlock()
	}
	return errors.Join(errs...)
}

// resolve parses uri and finds its place.
func (s *Storage) resolve(ctx context.Context, uri string) (location, backend, error) {
	if ctx.Err() != nil {
		return location{}, nil, context.Cause(ctx)
	}
	if s == nil {
		return location{}, nil, &kindError{ErrUnavailable, errors.New("there is no storage here")}
	}
	l, err := parse(uri, s.dir)
	if err != nil {
		return location{}, nil, err
	}
	switch l.scheme {
	case "file":
		return l, local{}, nil
	case "http", "https":
		return l, web{s.http}, nil
	}
	b, err := s.bucket(ctx, l)
	return l, bucket{b}, err
}

// bucket returns the open bucket of l. A failure to open is not kept, so that
// the next use tries again.
func (s *Storage) bucket(ctx context.Context, l location) (*blob.Bucket, error) {
	id := l.scheme + "://" + l.bucket + "?" + l.params
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, &kindError{ErrUnavailable, errors.New("the storage is closed")}
	}
	h := s.buckets[id]
	if h == nil {
		h = &handle{}
		s.buckets[id] = h
	}
	s.mu.Unlock()

	h.mu.Lock()
	defer h.mu.Unlock()
	if h.b == nil {
		b, err := openBucket(context.WithoutCancel(ctx), l) // clients outlive the call
		if err != nil {
			return nil, err
		}
		h.b = b
	}
	return h.b, nil
}

// Read opens a file. The caller closes the reader; its errors are of the same
// closed set, and it ends when ctx does. Info has no ETag for buckets.
func (s *Storage) Read(ctx context.Context, uri string) (io.ReadCloser, Info, error) {
	l, b, err := s.resolve(ctx, uri)
	if err != nil {
		return nil, Info{}, fail("read", uri, err)
	}
	r, info, err := b.read(ctx, l)
	if err != nil {
		return nil, Info{}, fail("read", uri, err)
	}
	info.Path = Redact(uri)
	return &reader{ctx: ctx, r: r, uri: uri}, info, nil
}

// Write stores all of r and returns the number of bytes. Readers see the old
// content or the new one, never a part. Local directories are made as needed.
func (s *Storage) Write(ctx context.Context, uri string, r io.Reader, o WriteOptions) (int64, error) {
	l, b, err := s.resolve(ctx, uri)
	if err != nil {
		return 0, fail("write", uri, err)
	}
	counted := &reader{ctx: ctx, r: io.NopCloser(r), uri: uri}
	if err := b.write(ctx, l, counted, o); err != nil {
		return 0, fail("write", uri, err)
	}
	return counted.n, nil
}

// Copy copies one file and returns its size.
func (s *Storage) Copy(ctx context.Context, from, to string, o WriteOptions) (int64, error) {
	r, info, err := s.Read(ctx, from)
	if err != nil {
		return 0, err
	}
	defer r.Close() //nolint:errcheck // only read from
	if o.ContentType == "" {
		o.ContentType = info.ContentType
	}
	return s.Write(ctx, to, r, o)
}

// Delete removes a file. One that is not there is ErrNotFound.
func (s *Storage) Delete(ctx context.Context, uri string) error {
	l, b, err := s.resolve(ctx, uri)
	if err == nil {
		err = b.remove(ctx, l)
	}
	return fail("delete", uri, err)
}

// Stat describes a file without reading it.
func (s *Storage) Stat(ctx context.Context, uri string) (Info, error) {
	l, b, err := s.resolve(ctx, uri)
	if err != nil {
		return Info{}, fail("stat", uri, err)
	}
	info, err := b.stat(ctx, l)
	if err != nil {
		return Info{}, fail("stat", uri, err)
	}
	info.Path = Redact(uri)
	return info, nil
}

// Exists tells whether there is a file. Not being able to tell is an error.
func (s *Storage) Exists(ctx context.Context, uri string) (bool, error) {
	_, err := s.Stat(ctx, uri)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// List lists the directory uri, with or without a slash at its end. A local
// directory that is not there is ErrNotFound; buckets have no directories, so
// that nothing under a name is an empty listing.
func (s *Storage) List(ctx context.Context, uri string, o ListOptions) (Listing, error) {
	l, b, err := s.resolve(ctx, uri)
	if err != nil {
		return Listing{}, fail("list", uri, err)
	}
	if o.Limit < 0 {
		return Listing{}, fail("list", uri, invalidf("limit %d is negative", o.Limit))
	}
	found, err := b.list(ctx, l, o)
	return found, fail("list", uri, err)
}
