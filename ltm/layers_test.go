package ltm_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/value"
)

func env(name string) (string, bool) {
	text, ok := map[string]string{
		"A": base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, 32)),
		"B": base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{2}, 32)),
	}[name]
	return text, ok
}

func openLayered(t *testing.T, raw string) *ltm.Memory {
	t.Helper()
	m, err := builtin.Mux().Open(t.Context(), raw, &ltm.Options{Getenv: env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func mustPut(t *testing.T, m *ltm.Memory, key, text string) {
	t.Helper()
	o := &ltm.PutOptions{Metadata: value.Must(map[string]any{"who": text})}
	if _, err := m.Put(t.Context(), key, value.String(text), o); err != nil {
		t.Fatal(err)
	}
}

func TestLayersByURL(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, near := "sqlite:"+filepath.Join(dir, "a.db"), "sqlite:"+filepath.Join(dir, "near.db")
	all := file + "?namespace=team&encrypt=env:A&memory=1MiB&max_staleness=1m&near=" + url.QueryEscape(near)
	m := openLayered(t, all)
	mustPut(t, m, "k", "hiddentext")
	for range 2 {
		if e, err := m.Get(t.Context(), "k"); err != nil || e.Value.Text() != "hiddentext" {
			t.Errorf("got %v, %v", e, err)
		}
	}
	for name, q := range map[string]ltm.Query{
		"text": {Text: "Hiddentext"}, "filter": {Metadata: []ltm.Filter{{Path: []string{"who"}, Value: value.String("hiddentext")}}},
	} {
		if p, err := m.Search(t.Context(), q); err != nil || len(p.Entries) != 1 {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	for _, path := range []string{"a.db", "a.db-wal", "near.db", "near.db-wal"} {
		data, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil || bytes.Contains(data, []byte("hiddentext")) {
			t.Errorf("%s: the text is in the file, or %v", path, err)
		}
	}
	if keys := keysOf(t, openLayered(t, file+"?namespace=other")); keys != "" {
		t.Errorf("another part sees %q", keys)
	}
	reader := openLayered(t, all+"&readonly=true")
	if keys := keysOf(t, reader); keys != "k" {
		t.Errorf("a reader sees %q", keys)
	}
	if _, err := reader.Put(t.Context(), "k", value.Null(), nil); !errors.Is(err, ltm.ErrReadOnly) {
		t.Errorf("a reader puts: %v", err)
	}
	_, err := builtin.Mux().Open(t.Context(), file+"?namespace=team&encrypt=env:B", &ltm.Options{Getenv: env})
	if !errors.Is(err, ltm.ErrConfig) || !strings.Contains(err.Error(), "give the right key") {
		t.Errorf("a wrong key: %v", err)
	}
}

func TestPartsMayHaveKeysOfTheirOwn(t *testing.T) {
	t.Parallel()
	file := "sqlite:" + filepath.Join(t.TempDir(), "a.db")
	a, b := openLayered(t, file+"?namespace=a&encrypt=env:A"), openLayered(t, file+"?namespace=b&encrypt=env:B")
	mustPut(t, a, "k", "of a")
	mustPut(t, b, "k", "of b")
	if e, err := a.Get(t.Context(), "k"); err != nil || e.Value.Text() != "of a" {
		t.Errorf("got %v, %v", e, err)
	}
	plain := openLayered(t, file+"?namespace=a")
	if _, err := plain.Get(t.Context(), "k"); !errors.Is(err, ltm.ErrConfig) || !strings.Contains(err.Error(), "encrypted") {
		t.Errorf("without a key: %v", err)
	}
}

func TestReadOnlyIsForEveryScheme(t *testing.T) {
	t.Parallel()
	m := openLayered(t, "mem://?readonly=1")
	if _, err := m.Put(t.Context(), "k", value.Null(), nil); !errors.Is(err, ltm.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
	if _, err := m.Get(t.Context(), "k"); !errors.Is(err, ltm.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestANearStoreThatCannotBeOpenedIsDoneWithout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "near.db"), bytes.Repeat([]byte("no database"), 99), 0o600); err != nil {
		t.Fatal(err)
	}
	m := openLayered(t, "mem://?near="+url.QueryEscape(filepath.Join(dir, "near.db")))
	mustPut(t, m, "k", "v")
	for range 3 {
		if e, err := m.Get(t.Context(), "k"); err != nil || e.Value.Text() != "v" {
			t.Errorf("got %v, %v", e, err)
		}
	}
}

func TestBadLayers(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"mem://?readonly=perhaps":              "not true or false",
		"mem://?readonyl=true":                 `did you mean "readonly"?`,
		"mem://?namespace=":                    "namespace is empty",
		"mem://?namespace=*":                   "is no namespace",
		"mem://?memory=64":                     "",
		"mem://?memory=0":                      "such as 64MiB",
		"mem://?memory=64 miles":               "such as 64MiB",
		"mem://?memory=5s&max_staleness=1":     "such as 2s",
		"mem://?max_staleness=1s":              "says nothing without near or memory",
		"mem://?encrypt_metadata=false":        "says nothing without encrypt",
		"mem://?encrypt=c2VjcmV0c2VjcmV0":      "never given itself",
		"mem://?encrypt=env:NONE":              `"NONE" is not set`,
		"mem://?encrypt=file:/no/where":        "no such file",
		"mem://?near=red%3A%2F%2Fu:pw@h":       "unknown scheme",
		"mem://?near=":                         "near: bad memory configuration: the URL is empty",
		"mem://?memory=1MiB&memory=1MiB":       "2 times",
		"sqlite:a?busy_timeout=x&memory=1MiB":  "not a duration",
		"mem://?near=mem%3A%2F%2F%3Fmemory%3D": "such as 64MiB",
	} {
		m, err := builtin.Mux().Open(t.Context(), raw, &ltm.Options{Getenv: env})
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", raw, err)
			}
			continue
		}
		if !errors.Is(err, ltm.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", raw, m, err, want)
		}
		for _, secret := range []string{"c2VjcmV0", "pw"} {
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("%q shows a credential: %v", raw, err)
			}
		}
	}
}
