package storageactions_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/blob"
	"github.com/tea-agents/tea/internal/blob/blobtest"
)

// TestHashOfEveryScheme hashes the same content wherever a file can be.
func TestHashOfEveryScheme(t *testing.T) { //nolint:paralleltest // sets the environment
	blobtest.AzureEnv(t)
	const content, hash = "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	dir := t.TempDir()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, content)
	}))
	t.Cleanup(web.Close)
	cloud := func(start func(testing.TB) blobtest.Store) func(*testing.T) string {
		return func(t *testing.T) string {
			t.Helper()
			return start(t).URI("dir/a b.txt")
		}
	}
	at := func(uri string) func(*testing.T) string { return func(*testing.T) string { return uri } }
	for _, tt := range []struct {
		name     string
		path     func(t *testing.T) string
		readOnly bool
	}{
		{name: "relative path", path: at("dir/relative.txt")},
		{name: "absolute path", path: at(filepath.Join(dir, "absolute.txt"))},
		{name: "file", path: at("file://" + dir + "/url.txt")},
		{name: "mem", path: at("mem://bucket/a.txt")},
		{name: "http", path: at(web.URL + "/a.txt"), readOnly: true},
		{name: "s3", path: cloud(blobtest.S3)},
		{name: "gs", path: cloud(blobtest.GCS)},
		{name: "az", path: cloud(blobtest.Azure)},
		{name: "azblob", path: func(t *testing.T) string {
			t.Helper()
			return strings.Replace(blobtest.Azure(t).URI("k"), "az:", "azblob:", 1)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := tt.path(t)
			store := blob.New(&blob.Options{Dir: dir})
			t.Cleanup(func() { store.Close() })
			a := newAgent(t, func(e *actions.Env) { e.Storage = store })
			if !tt.readOnly {
				a.Must("storage.write", `{"path": "`+path+`", "content": "`+content+`"}`)
			}
			a.Yields("storage.hash", `{"path": "`+path+`"}`,
				`{"algorithm":"sha256","hash":"`+hash+`","path":"`+path+`","size_bytes":3,"success":true}`)
			a.Yields("actions.storage_hash", `{"path": "`+path+`", "algorithm": "md5"}`,
				`{"algorithm":"md5","hash":"900150983cd24fb0d6963f7d28e17f72","path":"`+path+`","size_bytes":3,"success":true}`)
		})
	}
	if data, err := os.ReadFile(filepath.Join(dir, "dir", "relative.txt")); string(data) != content {
		t.Errorf("relative to the wrong directory: %q %v", data, err)
	}
}
