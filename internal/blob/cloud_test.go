package blob_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"

	"github.com/tea-agents/tea/internal/blob"
	"github.com/tea-agents/tea/internal/blob/blobtest"
)

func testMissingBucket(t *testing.T, p place) {
	t.Helper()
	p.dir = p.missing
	if _, _, err := p.storage.Read(t.Context(), p.uri("k")); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("read: %v", err)
	}
	if _, err := p.storage.Write(t.Context(), p.uri("k"), strings.NewReader("x"), blob.WriteOptions{}); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("write: %v", err)
	}
}

// TestRefusedIsDenied asks for a file, and whether there is one, servers that
// know nobody: what cannot be seen is not what is not there.
func TestRefusedIsDenied(t *testing.T) { //nolint:paralleltest // sets the environment
	blobtest.AzureEnv(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Ms-Error-Code", "AuthorizationPermissionMismatch")
		w.WriteHeader(http.StatusForbidden)
		switch {
		case strings.HasPrefix(r.URL.Path, "/s3"):
			_, _ = io.WriteString(w, `<Error><Code>SignatureDoesNotMatch</Code><Message>no</Message></Error>`)
		case strings.HasPrefix(r.URL.Path, "/gs"):
			_, _ = io.WriteString(w, `{"error": {"code": 403, "message": "no"}}`)
		}
	}))
	t.Cleanup(server.Close)
	addr := strings.TrimPrefix(server.URL, "http://")
	for _, uri := range []string{
		"s3://s3/k?region=us-east-1&anonymous=true&s3ForcePathStyle=true&endpoint=" + server.URL,
		"gs://b/k?anonymous=true&endpoint=" + server.URL + "/gs/",
		"az://az/k?protocol=http&domain=" + addr,
	} {
		s := storage(t, nil)
		_, _, readErr := s.Read(t.Context(), uri)
		_, writeErr := s.Write(t.Context(), uri, strings.NewReader("x"), blob.WriteOptions{})
		_, existsErr := s.Exists(t.Context(), uri)
		_, listErr := s.List(t.Context(), strings.Replace(uri, "/k", "/", 1), blob.ListOptions{})
		for op, err := range map[string]error{"read": readErr, "write": writeErr, "exists": existsErr, "list": listErr} {
			if !errors.Is(err, blob.ErrDenied) || !strings.Contains(err.Error(), "403") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s %s: %v", op, uri, err)
			}
		}
	}
}

func TestAzure(t *testing.T) { //nolint:paralleltest // sets the environment
	blobtest.AzureEnv(t)
	az := blobtest.Azure(t)
	testPlace(t, storePlace(t, az))
	t.Run("in blocks", func(t *testing.T) { testAzureInBlocks(t, az) })
	t.Run("from the environment", func(t *testing.T) { testAzureFromTheEnvironment(t, az) })
	t.Run("a wrong key is denied", func(t *testing.T) { testAzureWrongKey(t, az) })
}

// testAzureInBlocks writes more than one block, whole and torn.
func testAzureInBlocks(t *testing.T, az blobtest.Store) {
	t.Helper()
	p := place{storage: storage(t, nil), dir: "az://bucket/blocks/", params: az.Params}
	const size = 20 << 20
	whole := func() io.Reader { return io.LimitReader(zeros{}, size) }
	if n, err := p.storage.Write(t.Context(), p.uri("big"), whole(), blob.WriteOptions{}); n != size || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	boom := errors.New("boom")
	torn := io.MultiReader(whole(), iotest.ErrReader(boom))
	if _, err := p.storage.Write(t.Context(), p.uri("torn"), torn, blob.WriteOptions{}); !errors.Is(err, boom) {
		t.Errorf("torn: %v", err)
	}
	found, err := p.storage.List(t.Context(), p.uri(""), blob.ListOptions{})
	if err != nil || len(found.Entries) != 1 || found.Entries[0].Size != size {
		t.Errorf("%+v, %v", found, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// testAzureFromTheEnvironment gives everything but container and key there.
func testAzureFromTheEnvironment(t *testing.T, az blobtest.Store) {
	t.Helper()
	_, addr, _ := strings.Cut(az.Params, "&domain=")
	t.Setenv("AZURE_STORAGE_DOMAIN", addr)
	t.Setenv("AZURE_STORAGE_PROTOCOL", "http")
	write(t, place{storage: storage(t, nil), dir: "az://bucket/"}, "a b.txt", "hello")
	if got := read(t, place{storage: storage(t, nil), dir: "azblob://bucket/"}, "a b.txt"); got != "hello" {
		t.Errorf("read %q", got)
	}

	token := sasToken(t)
	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", token)
	if got := read(t, place{storage: storage(t, nil), dir: "az://bucket/"}, "a b.txt"); got != "hello" {
		t.Errorf("with a SAS token: %q", got)
	}

	signature := token[strings.Index(token, "sig=")+len("sig="):]
	signature, _, _ = strings.Cut(signature, "&")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", strings.Replace(token, "se=", "se=1", 1))
	_, _, err := storage(t, nil).Read(t.Context(), "az://bucket/a b.txt")
	if !errors.Is(err, blob.ErrDenied) || strings.Contains(err.Error(), signature) {
		t.Errorf("wrong token: %v", err)
	}
}

func sasToken(t *testing.T) string {
	t.Helper()
	key, err := container.NewSharedKeyCredential(blobtest.AzureAccount, blobtest.AzureKey)
	if err != nil {
		t.Fatal(err)
	}
	q, err := sas.BlobSignatureValues{
		Protocol: sas.ProtocolHTTPSandHTTP, ContainerName: "bucket",
		ExpiryTime:  time.Now().UTC().Add(time.Hour),
		Permissions: (&sas.ContainerPermissions{Read: true}).String(),
	}.SignWithSharedKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return q.Encode()
}

func testAzureWrongKey(t *testing.T, az blobtest.Store) {
	t.Helper()
	t.Setenv("AZURE_STORAGE_KEY", "d3Jvbmc=")
	_, err := storage(t, nil).Stat(t.Context(), az.URI("k"))
	if !errors.Is(err, blob.ErrDenied) || strings.Contains(err.Error(), "d3Jvbmc=") {
		t.Errorf("%v", err)
	}
}

func TestAzureURICannotSendTheTokenElsewhere(t *testing.T) {
	blobtest.AzureEnv(t)
	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "sig=s3cret")
	for _, params := range []string{"?domain=evil.example", "?protocol=http"} {
		if _, err := storage(t, nil).Stat(t.Context(), "az://box/k"+params); !errors.Is(err, blob.ErrInvalid) {
			t.Errorf("%s: %v", params, err)
		}
	}
}
