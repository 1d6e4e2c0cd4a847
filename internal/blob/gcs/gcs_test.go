package gcs_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
	"pgregory.net/rapid"

	"github.com/tea-agents/tea/internal/blob/gcs"
)

// waits records what a bucket waits for, without waiting.
type waits []time.Duration

func (w *waits) wait(_ context.Context, d time.Duration) error {
	*w = append(*w, d)
	return nil
}

func open(t *testing.T, h http.HandlerFunc, o gcs.Options) *blob.Bucket {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	o.Client, o.Server, o.Bucket = server.Client(), server.URL, "b"
	b := gcs.Open(o)
	t.Cleanup(func() { b.Close() })
	return b
}

func TestAgainWhereItHelps(t *testing.T) {
	t.Parallel()
	read := func(b *blob.Bucket) error { _, err := b.Attributes(t.Context(), "k"); return err }
	remove := func(b *blob.Bucket) error { return b.Delete(t.Context(), "k") }
	write := func(o *blob.WriterOptions) func(b *blob.Bucket) error {
		o.ContentType = "text/plain"
		return func(b *blob.Bucket) error { return b.Upload(t.Context(), "k", strings.NewReader("x"), o) }
	}
	for _, tt := range []struct {
		name   string
		do     func(*blob.Bucket) error
		status int
		want   int // requests
	}{
		{"reading while overloaded", read, 503, 4},
		{"reading while limited", read, 429, 4},
		{"reading what is not there", read, 404, 1},
		{"deleting while overloaded, which may be done", remove, 503, 1},
		{"deleting while limited", remove, 429, 4},
		{"writing while overloaded", write(&blob.WriterOptions{}), 503, 4},
		{"writing what may be there by now", write(&blob.WriterOptions{IfNotExist: true}), 503, 1},
		{"a broken connection", read, 0, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var w waits
			var requests atomic.Int64
			b := open(t, func(rw http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				if tt.status == 0 {
					panic(http.ErrAbortHandler)
				}
				rw.WriteHeader(tt.status)
			}, gcs.Options{Wait: w.wait})
			if err := tt.do(b); err == nil || tt.status != 0 && !strings.Contains(err.Error(), strconv.Itoa(tt.status)) {
				t.Errorf("%v", err)
			}
			if got := int(requests.Load()); got != tt.want || len(w) != tt.want-1 {
				t.Errorf("%d requests, waited %v", got, w)
			}
			for i, d := range w {
				if d != 200*time.Millisecond<<i {
					t.Errorf("waited %v", w)
				}
			}
		})
	}
}

func TestErrorsAreSorted(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]gcerrors.ErrorCode{
		400: gcerrors.InvalidArgument, 401: gcerrors.PermissionDenied, 403: gcerrors.PermissionDenied,
		404: gcerrors.NotFound, 410: gcerrors.NotFound, 412: gcerrors.FailedPrecondition, 418: gcerrors.Unknown,
		429: gcerrors.ResourceExhausted,
	} {
		b := open(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error": {"message": "so it is"}}`)
		}, gcs.Options{Wait: new(waits).wait})
		_, err := b.NewReader(t.Context(), "k", nil)
		if gcerrors.Code(err) != want || !strings.Contains(err.Error(), strconv.Itoa(status)+" so it is") {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestWhatIsNotDoneSaysSo(t *testing.T) {
	t.Parallel()
	b := open(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked for %s", r.URL) }, gcs.Options{})
	ctx := t.Context()
	_, rangeErr := b.NewRangeReader(ctx, "k", 1, 2, nil)
	_, signErr := b.SignedURL(ctx, "k", nil)
	for _, err := range []error{
		rangeErr, signErr, b.Copy(ctx, "k", "l", nil),
		b.Upload(ctx, "k", strings.NewReader(""), &blob.WriterOptions{ContentType: "x/y", Metadata: map[string]string{"a": "b"}}),
		b.Upload(ctx, "k", strings.NewReader(""), &blob.WriterOptions{ContentType: "x/y", CacheControl: "no-cache"}),
	} {
		if gcerrors.Code(err) != gcerrors.Unimplemented {
			t.Errorf("%v", err)
		}
	}
}

// flaky takes uploads that can be resumed. Each request meets the next fault.
type flaky struct {
	mu     sync.Mutex // the requests come one by one, but a lost one may not have ended
	faults []string
	stored []byte
	object []byte
	query  string
}

func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	if r.Method == http.MethodPost {
		f.query = r.URL.RawQuery
		if strings.Contains(f.query, "uploadType=media") {
			f.object = append([]byte{}, body...)
		}
		w.Header().Set("Location", "http://"+r.Host+"/session")
		return
	}
	fault := ""
	if len(f.faults) > 0 {
		fault, f.faults = f.faults[0], f.faults[1:]
	}
	switch fault {
	case "refused":
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case "half":
		body = body[:len(body)/2]
	}
	var start int
	span, total, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Content-Range"), "bytes "), "/")
	if span != "*" {
		if _, err := fmt.Sscanf(span, "%d-", &start); err != nil || start != len(f.stored) {
			panic(fmt.Sprintf("%s, having %d", span, len(f.stored)))
		}
		f.stored = append(f.stored, body...)
	}
	if total == strconv.Itoa(len(f.stored)) {
		f.object = append([]byte{}, f.stored...)
	}
	switch {
	case fault == "lost":
		panic(http.ErrAbortHandler)
	case f.object != nil:
		fmt.Fprint(w, `{}`)
	default:
		if len(f.stored) > 0 {
			w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", len(f.stored)-1))
		}
		w.WriteHeader(http.StatusPermanentRedirect)
	}
}

// TestUploadsSurviveFaults sends contents of all sizes in chunks of 8 bytes.
func TestUploadsSurviveFaults(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		content := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(r, "content")
		server := &flaky{faults: rapid.SliceOfN(rapid.SampledFrom([]string{"", "refused", "half", "lost"}), 0, 3).Draw(r, "faults")}
		http1 := httptest.NewServer(server)
		defer http1.Close()
		b := gcs.Open(gcs.Options{Client: http1.Client(), Server: http1.URL, Bucket: "b", Chunk: 8, Wait: new(waits).wait})
		source := struct{ io.Reader }{bytes.NewReader(content)}
		err := b.Upload(t.Context(), "a/b c", source, &blob.WriterOptions{ContentType: "text/plain", IfNotExist: true})
		server.mu.Lock()
		defer server.mu.Unlock()
		if err != nil || !bytes.Equal(server.object, content) {
			r.Fatalf("%q, want %q, %v", server.object, content, err)
		}
		if !strings.Contains(server.query, "name=a%2Fb+c") || !strings.Contains(server.query, "ifGenerationMatch=0") {
			r.Fatalf("asked with %s", server.query)
		}
	})
}

func TestAnUploadThatGetsNowhereEnds(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"refused", "lost"} {
		server := &flaky{faults: strings.Split(strings.Repeat(fault+" ", 20), " ")}
		b := open(t, server.ServeHTTP, gcs.Options{Chunk: 8, Wait: new(waits).wait})
		err := b.Upload(t.Context(), "k", strings.NewReader("more than one chunk"), &blob.WriterOptions{ContentType: "text/plain"})
		server.mu.Lock()
		if err == nil || server.object != nil {
			t.Errorf("%s: %v, stored %q", fault, err, server.object)
		}
		server.mu.Unlock()
	}
}
