package object

import (
	"bytes"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func at(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestAURLCannotSendTokensElsewhere is about URLs that a model or a document may
// have made up.
func TestAURLCannotSendTokensElsewhere(t *testing.T) {
	user := filepath.Join(t.TempDir(), "user.json")
	err := os.WriteFile(user, []byte(`{"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "r"}`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ env, value, url, want string }{
		{"AZURE_STORAGE_SAS_TOKEN", "sig=s3cret", "az://box/k?domain=evil.example", "AZURE_STORAGE_DOMAIN"},
		{"AZURE_STORAGE_SAS_TOKEN", "sig=s3cret", "az://box/k?protocol=http", "AZURE_STORAGE_DOMAIN"},
		{"AZURE_STORAGE_KEY", "", "az://box/k?domain=evil.example", "AZURE_STORAGE_DOMAIN"},
		{"AZURE_STORAGE_ACCOUNT", "", "az://box/k?storage_account=other", "AZURE_STORAGE_KEY is set without"},
		{"AZURE_STORAGE_SAS_TOKEN", "", "az://box/k?storage_account=evil.example%2F", "account"},
		{"GOOGLE_APPLICATION_CREDENTIALS", user, "gs://b/k?endpoint=https://evil.example", "anonymous=true"},
		{"GOOGLE_APPLICATION_CREDENTIALS", user, "gs://b/k?endpoint=https://evilgoogleapis.com", "anonymous=true"},
		{"GOOGLE_APPLICATION_CREDENTIALS", user, "gs://b/k?endpoint=http://storage.googleapis.com", "anonymous=true"},
	} {
		t.Run(tt.env+" "+tt.url, func(t *testing.T) {
			for name, text := range map[string]string{
				"AZURE_STORAGE_ACCOUNT": "a", "AZURE_STORAGE_KEY": "a2V5", "AZURE_STORAGE_SAS_TOKEN": "",
				"AZURE_STORAGE_DOMAIN": "", "AZURE_STORAGE_PROTOCOL": "", "STORAGE_EMULATOR_HOST": "",
			} {
				t.Setenv(name, text)
			}
			t.Setenv(tt.env, tt.value)
			_, err := Open(t.Context(), at(t, tt.url), "text/plain")
			if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

// TestOneOfManyReplaces has many replace the same content of a file at once, as
// fast as its times may be equal.
func TestOneOfManyReplaces(t *testing.T) {
	t.Parallel()
	o, err := Open(t.Context(), at(t, "file://"+t.TempDir()+"/sub/k"), "text/plain")
	if err != nil {
		t.Fatal(err)
	}
	known, marks := Mark(""), map[Mark]bool{}
	for range 50 {
		var won atomic.Int64
		var next Mark
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				mark, err := o.Put(t.Context(), bytes.NewReader([]byte("same")), 4, known)
				if err == nil {
					won.Add(1)
					next = mark
				} else if !errors.Is(err, ErrChanged) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 || marks[next] {
			t.Fatalf("%d replaced it, mark %q", won.Load(), next)
		}
		marks[next] = true
		known = next
		if _, err := o.Get(t.Context(), known, &bytes.Buffer{}); !errors.Is(err, ErrSame) {
			t.Fatal(err)
		}
	}
}

// TestWhatS3LacksIsSaid: nothing is asked of a server without it.
func TestWhatS3LacksIsSaid(t *testing.T) { //nolint:paralleltest // sets the environment
	none := filepath.Join(t.TempDir(), "none")
	for name, text := range map[string]string{
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": none, "AWS_SHARED_CREDENTIALS_FILE": none,
		"AWS_PROFILE": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_SESSION_TOKEN": "",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "", "AWS_WEB_IDENTITY_TOKEN_FILE": "",
	} {
		t.Setenv(name, text)
	}
	for _, tt := range []struct {
		key, params, want string
		kind              error
	}{
		{"", "use_path_style=true&endpoint=http://127.0.0.1:1&region=eu-west-1", "set AWS_ACCESS_KEY_ID", ErrDenied},
		{"k", "", "set AWS_REGION", ErrConfig},
	} {
		t.Setenv("AWS_ACCESS_KEY_ID", tt.key)
		t.Setenv("AWS_SECRET_ACCESS_KEY", tt.key)
		o, err := Open(t.Context(), at(t, "s3://bucket/k?"+tt.params), "text/plain")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.Get(t.Context(), "", &bytes.Buffer{}); !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
}
