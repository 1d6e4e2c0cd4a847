package blobtest

import (
	"io"
	"net/http/httptest"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/tea-agents/tea/internal/testserver"
)

// Store is an object store with an empty bucket named "bucket". The URI of a
// key in it is Scheme + "://bucket/" + key + Params.
type Store struct {
	Scheme string // the shortest one
	Params string // with the question mark
}

// URI returns the URI of a key.
func (s Store) URI(key string) string { return s.Scheme + "://bucket/" + key + s.Params }

// S3 runs an S3 server until the test ends. It needs no credentials.
func S3(tb testing.TB) Store {
	tb.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		tb.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server())
	tb.Cleanup(server.Close)
	return Store{"s3", "?region=us-east-1&anonymous=true&s3ForcePathStyle=true&endpoint=" + server.URL}
}

// GCS runs a Google Cloud Storage server until the test ends. It needs no
// credentials.
func GCS(tb testing.TB) Store {
	tb.Helper()
	server, err := fakestorage.NewServerWithOptions(fakestorage.Options{
		Scheme: "http", Host: "127.0.0.1", Writer: io.Discard,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(server.Stop)
	server.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "bucket"})
	return Store{"gs", "?anonymous=true&endpoint=" + server.URL() + "/storage/v1/"}
}

// The account that Azure's server knows. The key is no secret.
const (
	AzureAccount = "teatest"
	AzureKey     = "bm90IGEgc2VjcmV0OiBhIGtleSBmb3IgdGVzdHM="
)

// AzureEnv sets the environment that [Azure] needs, as its users do, and clears
// what else could give credentials.
func AzureEnv(tb testing.TB) {
	tb.Helper()
	for name, text := range map[string]string{
		"ACCOUNT": AzureAccount, "KEY": AzureKey, "SAS_TOKEN": "", "CONNECTION_STRING": "",
		"DOMAIN": "", "PROTOCOL": "", "IS_CDN": "", "IS_LOCAL_EMULATOR": "",
	} {
		tb.Setenv("AZURE_STORAGE_"+name, text)
	}
}

// Azure runs an Azure Blob Storage server until the test ends. It answers to
// the credentials of [AzureEnv].
func Azure(tb testing.TB) Store {
	tb.Helper()
	addr := testserver.Start(tb, testserver.Server{
		Name: "azurite-blob", Install: "npm install --global azurite@3.35.0",
		Args: func(port, _ string) []string {
			return []string{
				"--blobPort", port, "--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry", "--silent",
			}
		},
		Env: []string{"AZURITE_ACCOUNTS=" + AzureAccount + ":" + AzureKey},
	})
	key, err := container.NewSharedKeyCredential(AzureAccount, AzureKey)
	if err != nil {
		tb.Fatal(err)
	}
	client, err := container.NewClientWithSharedKeyCredential("http://"+addr+"/"+AzureAccount+"/bucket", key, nil)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := client.Create(tb.Context(), nil); err != nil {
		tb.Fatal(err)
	}
	return Store{"az", "?protocol=http&domain=" + addr}
}
