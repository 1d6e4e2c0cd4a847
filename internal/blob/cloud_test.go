package blob_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/tea-agents/tea/internal/blob"
)

// s3Place is an S3 server in this process.
func s3Place(t *testing.T) place {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server())
	t.Cleanup(server.Close)
	return place{
		storage: storage(t, nil), dir: "s3://bucket/d/",
		params: "?region=us-east-1&anonymous=true&s3ForcePathStyle=true&endpoint=" + server.URL,
	}
}

// gsPlace is a Google Cloud Storage server in this process.
func gsPlace(t *testing.T) place {
	t.Helper()
	server, err := fakestorage.NewServerWithOptions(fakestorage.Options{
		Scheme: "http", Host: "127.0.0.1", Writer: io.Discard,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	server.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "bucket"})
	return place{
		storage: storage(t, nil), dir: "gs://bucket/d/",
		params: "?anonymous=true&endpoint=" + server.URL() + "/storage/v1/",
	}
}

func TestMissingBucketIsNotFound(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) place{"s3": s3Place, "gs": gsPlace} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t)
			p.dir = strings.Replace(p.dir, "bucket", "nobucket", 1)
			if _, _, err := p.storage.Read(t.Context(), p.uri("k")); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestAzureWire checks our side of the protocol against a double: the address
// made from URI and environment, upload, and the answers' meaning.
func TestAzureWire(t *testing.T) {
	objects := map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, ok := objects[r.URL.Path]
		switch {
		case r.URL.Query().Get("sig") != "s3cret":
			w.Header().Set("X-Ms-Error-Code", "AuthenticationFailed")
			w.WriteHeader(http.StatusForbidden)
		case r.Method == http.MethodPut:
			data, _ := io.ReadAll(r.Body)
			objects[r.URL.Path] = string(data)
			w.WriteHeader(http.StatusCreated)
		case !ok:
			w.Header().Set("X-Ms-Error-Code", "BlobNotFound")
			w.WriteHeader(http.StatusNotFound)
		default:
			w.Header().Set("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")
			w.Header().Set("ETag", `"0x1"`)
			_, _ = io.WriteString(w, content)
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv("AZURE_STORAGE_ACCOUNT", "acct")
	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "sig=s3cret")
	t.Setenv("AZURE_STORAGE_DOMAIN", strings.TrimPrefix(server.URL, "http://"))
	t.Setenv("AZURE_STORAGE_PROTOCOL", "http")

	p := place{storage: storage(t, nil), dir: "az://box/"}
	write(t, p, "a b.txt", "hello")
	if got := objects["/acct/box/a b.txt"]; got != "hello" {
		t.Errorf("stored: %v", objects)
	}
	if got := read(t, place{storage: p.storage, dir: "azblob://box/"}, "a b.txt"); got != "hello" {
		t.Errorf("read %q", got)
	}
	if _, err := p.storage.Stat(t.Context(), "az://box/none"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("missing: %v", err)
	}
	if _, err := p.storage.Stat(t.Context(), "az://box/k?domain=evil.example"); !errors.Is(err, blob.ErrInvalid) {
		t.Errorf("a URI may send the token elsewhere: %v", err)
	}
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "sig=wr0ng")
	_, _, err := blob.New(nil).Read(t.Context(), "az://box/k")
	if !errors.Is(err, blob.ErrDenied) || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("wrong token: %v", err)
	}
}
