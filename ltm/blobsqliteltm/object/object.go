package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// What can go wrong, besides the errors of a context. All else is trouble that
// may pass.
var (
	ErrMissing = errors.New("there is no such object")
	ErrSame    = errors.New("the object is the known one")
	ErrChanged = errors.New("the object is another one by now")
	ErrDenied  = errors.New("access denied")
	ErrConfig  = errors.New("bad address")
)

// Mark identifies a content that an object had. Equal marks mean equal content;
// "" is that of no object at all.
type Mark string

// Content is what is put: it is read from its beginning, perhaps more than once.
type Content interface {
	io.ReadSeeker
	io.ReaderAt
}

// Object is one object. It is safe for concurrent use.
type Object interface {
	// Get writes the content to w and returns its mark. It fails with ErrSame
	// when that is known, and with ErrMissing when there is none. After any
	// error w may hold a part.
	Get(ctx context.Context, known Mark, w io.Writer) (Mark, error)
	// Put replaces the content if its mark is known, else it fails with
	// ErrChanged. After another error the content may have been replaced, or be
	// replaced later.
	Put(ctx context.Context, content Content, size int64, known Mark) (Mark, error)
	// Close ends what is under way.
	Close() error
}

// Open returns the object of a URL: s3, gs, az, azblob, file or mem. Parameters
// are those of Params, each given at most once. What the URL alone tells is
// ErrConfig. It asks the server nothing.
func Open(ctx context.Context, u *url.URL) (Object, error) {
	if err := Check(u); err != nil {
		return nil, err
	}
	var o Object
	var err error
	switch u.Scheme {
	case "mem":
		return &memory{}, nil
	case "file":
		return &file{path: u.Path, wait: sleep}, nil
	case "s3":
		o, err = openS3(ctx, u)
	case "gs":
		o, err = openGoogle(ctx, u)
	default:
		o, err = openAzure(ctx, u)
	}
	return o, err
}

// Check returns what is wrong with a URL as it stands.
func Check(u *url.URL) error {
	key := strings.TrimPrefix(u.Path, "/")
	switch {
	case !slices.Contains(Schemes(), u.Scheme):
		return fmt.Errorf("%w: unknown scheme %q", ErrConfig, u.Scheme)
	case u.User != nil:
		return fmt.Errorf("%w: credentials do not belong into it: set them in the environment", ErrConfig)
	case u.Scheme == "file" && u.Host != "" && u.Host != "localhost":
		return fmt.Errorf("%w: a file has no host: write three slashes before an absolute path", ErrConfig)
	case u.Scheme != "file" && u.Scheme != "mem" && u.Host == "":
		return fmt.Errorf("%w: it names no bucket", ErrConfig)
	case strings.Contains(u.Host, ":"):
		return fmt.Errorf("%w: a bucket has no port: set the server by a parameter", ErrConfig)
	case key == "" || strings.HasSuffix(key, "/") || strings.ContainsRune(key, 0):
		return fmt.Errorf("%w: it names no file", ErrConfig)
	}
	return nil
}

// Schemes returns the schemes of objects, sorted.
func Schemes() []string { return []string{"az", "azblob", "file", "gs", "mem", "s3"} }

// Params returns the parameters that the URLs of a scheme may have. They are
// those of package blob, of which the rarest are left out.
func Params(scheme string) []string {
	switch scheme {
	case "s3":
		return []string{"anonymous", "endpoint", "profile", "region", "s3ForcePathStyle", "use_path_style"}
	case "gs":
		return []string{"anonymous", "endpoint"}
	case "az", "azblob":
		return []string{"domain", "protocol", "storage_account"}
	default:
		return nil
	}
}

// flag reads a parameter that is true or false.
func flag(q url.Values, name string) (bool, error) {
	switch q.Get(name) {
	case "true", "1":
		return true, nil
	case "", "false", "0":
		return false, nil
	default:
		return false, fmt.Errorf("%w: %s is true or false", ErrConfig, name)
	}
}

// status returns the error of a status that an operation ended with, nil where
// it says nothing of its own.
func status(code int) error {
	switch code {
	case http.StatusNotModified:
		return ErrSame
	case http.StatusNotFound:
		return ErrMissing
	case http.StatusPreconditionFailed, http.StatusConflict:
		return ErrChanged
	case http.StatusUnauthorized, http.StatusForbidden:
		return ErrDenied
	default:
		return nil
	}
}

// newClient returns a client with connections of its own, so that closing it
// closes them.
func newClient() *http.Client {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // the program has put another one there
		return &http.Client{Transport: http.DefaultTransport}
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = 8
	t.IdleConnTimeout = 30 * time.Second
	return &http.Client{Transport: t}
}

// sleep passes time.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d) //nolint:forbidigo // the default of an injected wait
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
