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

	"github.com/tea-agents/tea/internal/blob"
)

// What can go wrong, besides the errors of a context. All else is trouble that
// may pass.
var (
	ErrMissing = errors.New("there is no such object")
	ErrSame    = errors.New("the object is the known one")
	ErrChanged = errors.New("the object is another one by now")
	ErrDenied  = blob.ErrDenied
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
	// Time returns the time of the last answer by the clock of the
	// server, in Unix milliseconds and within half a second; 0 where there is
	// no such clock.
	Time() int64
	// Close ends what is under way.
	Close() error
}

// Open returns the object of a URL: s3, gs, az, azblob, file or mem. Parameters
// are those of Params, each given at most once. What is put has the content type
// kind where the place keeps one. What the URL and the environment tell is
// ErrConfig. It asks the server nothing.
func Open(ctx context.Context, u *url.URL, kind string) (Object, error) {
	if err := Check(u); err != nil {
		return nil, err
	}
	switch u.Scheme {
	case "mem":
		return &memory{}, nil
	case "file":
		return &file{path: u.Path, wait: sleep}, nil
	}
	b, err := blob.OpenBucket(ctx, u)
	if errors.Is(err, blob.ErrInvalid) {
		err = fmt.Errorf("%w: %w", ErrConfig, err)
	}
	if err != nil {
		return nil, err
	}
	switch u.Scheme {
	case "s3":
		return openS3(b, u, kind), nil
	case "gs":
		return openGoogle(b, u, kind), nil
	default:
		return openAzure(b, u, kind), nil
	}
}

// keyOf returns the name of the object in its bucket.
func keyOf(u *url.URL) string { return strings.TrimPrefix(u.Path, "/") }

// Check returns what is wrong with a URL as it stands.
func Check(u *url.URL) error {
	key := keyOf(u)
	switch {
	case !slices.Contains(Schemes(), u.Scheme):
		return fmt.Errorf("%w: unknown scheme %q", ErrConfig, u.Scheme)
	case u.User != nil:
		return fmt.Errorf("%w: credentials do not belong into it: set them in the environment", ErrConfig)
	case u.Opaque != "":
		return fmt.Errorf("%w: its scheme must be followed by ://, and the path of a file begins with a slash", ErrConfig)
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

// Params returns the parameters that the URLs of a scheme may have: those of
// package blob, without what it does to its own uploads.
func Params(scheme string) []string {
	return slices.DeleteFunc(blob.Params(scheme), func(name string) bool { return name == "kmskeyid" || name == "ssetype" })
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
