package blob_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/blob"
)

func TestBadURIsAreExplained(t *testing.T) {
	t.Parallel()
	s := storage(t, nil)
	for _, tt := range []struct {
		uri, want string
		kind      error
	}{
		{"", "empty path", blob.ErrInvalid},
		{"a\x00b", "NUL", blob.ErrInvalid},
		{"ftp://h/x", "known are az, azblob, file, gs, http, https, mem, s3 and plain paths", blob.ErrUnsupported},
		{"gcs://b/x", `did you mean "gs"?`, blob.ErrUnsupported},
		{"file://data/x.txt", "a file URL has no host: write file:///absolute/path", blob.ErrInvalid},
		{"file:///x?y=1", "no parameters", blob.ErrInvalid},
		{"file:///100%", "%25", blob.ErrInvalid},
		{"s3://", "no bucket: write s3://bucket/key", blob.ErrInvalid},
		{"s3://bucket", "names no file: write s3://bucket/key", blob.ErrInvalid},
		{"s3://bucket/dir/", "names no file", blob.ErrInvalid},
		{"s3://key:secret@bucket/x", "credentials and ports do not belong", blob.ErrInvalid},
		{"s3://b/x?endpoit=http://h", `unknown parameter "endpoit"`, blob.ErrInvalid},
		{"s3://b/x?endpoit=http://h", `did you mean "endpoint"?`, blob.ErrInvalid},
		{"gs://b/x?anonymous=perhaps", "anonymous is true or false", blob.ErrInvalid},
		{"gs://b/x?endpoint=a&endpoint=b", "twice", blob.ErrInvalid},
		{"http:///x", "not a web address", blob.ErrInvalid},
	} {
		_, err := s.Stat(t.Context(), tt.uri)
		if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.uri, err, tt.want)
		}
	}
}

func TestBucketKeysAreLiteral(t *testing.T) {
	t.Parallel()
	p := place{storage: storage(t, nil), dir: "mem://b/"}
	for _, key := range []string{"a%20b", "a b", "100%", "x#y", "what?", "what?.txt"} {
		write(t, p, key, key)
	}
	found, err := p.storage.List(t.Context(), "mem://b", blob.ListOptions{})
	if err != nil || len(found.Entries) != 6 {
		t.Fatalf("%v %v", found, err)
	}
	for _, e := range found.Entries {
		if got := "mem://b/" + read(t, place{storage: p.storage}, e.Path); got != e.Path {
			t.Errorf("%s holds %s", e.Path, got)
		}
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"/data/a?b=c@d":                         "/data/a?b=c@d",
		"https://h/x":                           "https://h/x",
		"https://user:pw@h/x@y":                 "https://***@h/x@y",
		"https://h/x?sig=abc&page=2":            "https://h/x?sig=***&page=***",
		"https://h/x?token":                     "https://h/x?***",
		"HTTPS://u:p@h":                         "HTTPS://***@h",
		"s3://b/k?region=eu&token=x":            "s3://b/k?region=eu&token=***",
		"s3://b/k?endpoint=http://u:p@h:1":      "s3://b/k?endpoint=http://***@h:1",
		"s3://AKIA:secret@b/k":                  "s3://***@b/k",
		"gs://b/what?.txt":                      "gs://b/what?.txt",
		"postgres://u:p@h/db?password=x&mode=y": "postgres://***@h/db?password=***&mode=***",
	} {
		if got := blob.Redact(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func FuzzURI(f *testing.F) {
	for _, seed := range []string{"a/b", "file:///x%20y", "s3://b/k?region=x", "mem:///k", "az://c/k", "https://u:p@h/x?y=z"} {
		f.Add(seed)
	}
	s := blob.New(&blob.Options{Dir: f.TempDir()})
	f.Fuzz(func(t *testing.T, uri string) {
		if scheme, _, ok := strings.Cut(uri, "://"); ok && !strings.EqualFold(scheme, "mem") && !strings.EqualFold(scheme, "file") {
			return // the network is not for fuzzing
		}
		_, err := s.Stat(t.Context(), "mem://b/"+uri)
		var failed *blob.Error
		if err != nil && !errors.As(err, &failed) {
			t.Errorf("%q: an error outside the closed set: %v", uri, err)
		}
		if blob.Redact(blob.Redact(uri)) != blob.Redact(uri) {
			t.Errorf("%q: redacting twice differs", uri)
		}
	})
}
