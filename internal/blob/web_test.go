package blob_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/blob"
)

func webServer(t *testing.T, h http.HandlerFunc) (*blob.Storage, string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return storage(t, &blob.Options{HTTP: server.Client()}), server.URL
}

func TestWebRead(t *testing.T) {
	t.Parallel()
	s, url := webServer(t, func(w http.ResponseWriter, r *http.Request) {
		if user, pass, ok := r.BasicAuth(); ok && (user != "u" || pass != "p") {
			t.Errorf("wrong credentials: %s %s", user, pass)
		}
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")
		_, _ = io.WriteString(w, "abc")
	})
	sum, size, err := s.Hash(t.Context(), strings.Replace(url, "//", "//u:p@", 1)+"/f?x=1#part", "md5")
	if err != nil || size != 3 || sum != "900150983cd24fb0d6963f7d28e17f72" {
		t.Errorf("%s %d %v", sum, size, err)
	}
	info, err := s.Stat(t.Context(), url+"/f?token=hush")
	if err != nil || info.Size != 3 || info.Stamp() != `3-1445412480000000000-"1"` || strings.Contains(info.Path, "hush") {
		t.Errorf("%+v %v", info, err)
	}
}

func TestWebStatusesAreKinds(t *testing.T) {
	t.Parallel()
	s, url := webServer(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.WriteHeader(status)
	})
	for status, want := range map[int]error{
		404: blob.ErrNotFound, 410: blob.ErrNotFound, 401: blob.ErrDenied, 403: blob.ErrDenied,
		429: blob.ErrUnavailable, 500: blob.ErrUnavailable, 503: blob.ErrUnavailable,
		400: blob.ErrInvalid, 405: blob.ErrUnsupported,
	} {
		_, _, err := s.Read(t.Context(), fmt.Sprintf("%s/%d?key=hush", url, status))
		if !errors.Is(err, want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%d: %v, want %v", status, err, want)
		}
	}
}

func TestWebStatWithoutHead(t *testing.T) {
	t.Parallel()
	s, url := webServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		_, _ = io.WriteString(w, "abc")
	})
	if info, err := s.Stat(t.Context(), url); err != nil || info.Size != 3 {
		t.Errorf("%+v %v", info, err)
	}
}

func TestWebTruncatedBodyIsAnError(t *testing.T) {
	t.Parallel()
	s, url := webServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "abc")
	})
	if _, _, err := s.Hash(t.Context(), url, ""); !errors.Is(err, blob.ErrUnavailable) {
		t.Errorf("%v", err)
	}
}

func TestWebIsReadOnly(t *testing.T) {
	t.Parallel()
	s := storage(t, nil)
	_, writeErr := s.Write(t.Context(), "http://127.0.0.1:1/x", strings.NewReader(""), blob.WriteOptions{})
	_, listErr := s.List(t.Context(), "http://127.0.0.1:1/x", blob.ListOptions{})
	for _, err := range []error{writeErr, listErr, s.Delete(t.Context(), "https://127.0.0.1:1/x")} {
		if !errors.Is(err, blob.ErrUnsupported) {
			t.Errorf("%v", err)
		}
	}
}

func TestWebUnreachable(t *testing.T) {
	t.Parallel()
	_, err := storage(t, nil).Stat(t.Context(), "http://u:hush@127.0.0.1:1/x?sig=hush")
	if !errors.Is(err, blob.ErrUnavailable) || strings.Contains(err.Error(), "hush") {
		t.Errorf("%v", err)
	}
}
