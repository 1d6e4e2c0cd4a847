package blob_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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
	t.Run("from the environment", func(t *testing.T) { testAzureFromTheEnvironment(t, az) })
	t.Run("a wrong key is denied", func(t *testing.T) { testAzureWrongKey(t, az) })
}

// testInBlocks writes more than the clouds take at once, whole and torn.
func testInBlocks(t *testing.T, p place) {
	t.Helper()
	p.dir += "blocks/"
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

// TestAURICannotSendTokensElsewhere is about URIs that a model or a document
// may have made up.
func TestAURICannotSendTokensElsewhere(t *testing.T) {
	user := filepath.Join(t.TempDir(), "user.json")
	err := os.WriteFile(user, []byte(`{"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "r"}`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ env, value, uri, want string }{
		{"AZURE_STORAGE_SAS_TOKEN", "sig=s3cret", "az://box/k?domain=evil.example", "AZURE_STORAGE_DOMAIN"},
		{"AZURE_STORAGE_SAS_TOKEN", "sig=s3cret", "az://box/k?protocol=http", "AZURE_STORAGE_DOMAIN"},
		{"AZURE_STORAGE_KEY", "", "az://box/k?domain=evil.example", "AZURE_STORAGE_DOMAIN"},
		{"AZURE_STORAGE_ACCOUNT", "", "az://box/k?storage_account=other", "AZURE_STORAGE_KEY is set without"},
		{"GOOGLE_APPLICATION_CREDENTIALS", user, "gs://b/k?endpoint=https://evil.example", "anonymous=true"},
		{"GOOGLE_APPLICATION_CREDENTIALS", user, "gs://b/k?endpoint=https://evilgoogleapis.com", "anonymous=true"},
		{"GOOGLE_APPLICATION_CREDENTIALS", user, "gs://b/k?endpoint=http://storage.googleapis.com", "anonymous=true"},
		{"GOOGLE_APPLICATION_CREDENTIALS", user, "gs://b/k?universe_domain=evil.example", "anonymous=true"},
	} {
		t.Run(tt.env+" "+tt.uri, func(t *testing.T) {
			blobtest.AzureEnv(t)
			t.Setenv("STORAGE_EMULATOR_HOST", "")
			t.Setenv(tt.env, tt.value)
			_, err := storage(t, nil).Stat(t.Context(), tt.uri)
			if !errors.Is(err, blob.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

func TestGoogleEmulatorFromTheEnvironment(t *testing.T) { //nolint:paralleltest // sets the environment
	_, server, _ := strings.Cut(blobtest.GCS(t).Params, "endpoint=")
	server = strings.TrimSuffix(server, "/storage/v1/")
	for _, host := range []string{server, strings.TrimPrefix(server, "http://")} {
		t.Setenv("STORAGE_EMULATOR_HOST", host)
		p := place{storage: storage(t, nil), dir: "gs://bucket/"}
		write(t, p, "k", host)
		if got := read(t, p, "k"); got != host {
			t.Errorf("read %q", got)
		}
	}
}

// TestGoogleCredentialsAreUsed has those of an account that is refused.
func TestGoogleCredentialsAreUsed(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		claims, _ := base64.RawURLEncoding.DecodeString(strings.Split(r.FormValue("assertion")+"..", ".")[1])
		if !strings.Contains(string(claims), "auth/devstorage.read_write") {
			t.Errorf("asked for %s", claims)
		}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error": "invalid_grant"}`)
	}))
	t.Cleanup(server.Close)
	account, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "a@b", "token_uri": server.URL,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "account.json")
	if err := os.WriteFile(file, account, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
	t.Setenv("STORAGE_EMULATOR_HOST", "")
	_, err = storage(t, nil).Stat(t.Context(), "gs://b/k")
	if !errors.Is(err, blob.ErrDenied) || !strings.Contains(err.Error(), "invalid_grant") || asked != 1 {
		t.Errorf("asked %d times for a token: %v", asked, err)
	}
}
