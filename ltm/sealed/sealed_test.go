package sealed_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/ltm/readonly"
	"github.com/tea-agents/tea/ltm/sealed"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

func key(t *testing.T, fill byte) sealed.Key {
	t.Helper()
	k, err := sealed.NewKey(bytes.Repeat([]byte{fill}, sealed.KeyBytes))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func open(t *testing.T, s driver.Store, o *sealed.Options, keys ...sealed.Key) *sealed.Store {
	t.Helper()
	opened, err := sealed.New(t.Context(), s, keys, o)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func sqlite(t *testing.T, where string) driver.Store {
	t.Helper()
	s, err := sqliteltm.Open(t.Context(), &url.URL{Scheme: "sqlite", Opaque: where})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, clear := range []bool{false, true} {
		t.Run(fmt.Sprint("clear metadata ", clear), func(t *testing.T) {
			t.Parallel()
			drivertest.Run(t, func(t *testing.T) driver.Store {
				t.Helper()
				return open(t, sqlite(t, ":memory:"), &sealed.Options{ClearMetadata: clear}, key(t, 1))
			}, drivertest.Options{Checks: 10_000})
		})
	}
}

func secretRecord(k string) driver.Record {
	return driver.Record{Key: driver.Key{Key: k}, Value: []byte("topsecretvalue"),
		Metadata: []byte(`{"who":"topsecretname"}`), Terms: "topsecretword", UpdatedAt: 1}
}

func put(t *testing.T, s driver.Store, r driver.Record) {
	t.Helper()
	if _, err := s.Put(t.Context(), r, driver.Condition{}); err != nil {
		t.Fatal(err)
	}
}

func TestNoContentIsInTheFile(t *testing.T) {
	t.Parallel()
	for _, clear := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "a.db")
		s := open(t, sqlite(t, path), &sealed.Options{ClearMetadata: clear}, key(t, 1))
		put(t, s, secretRecord("k"))
		if _, err := s.PutBatch(t.Context(), []driver.Record{secretRecord("l")}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for text, there := range map[string]bool{"topsecretvalue": false, "topsecretword": false, "topsecretname": clear} {
			if bytes.Contains(data, []byte(text)) != there {
				t.Errorf("clear metadata %v: %q is in the file: %v", clear, text, !there)
			}
		}
	}
}

func TestAWrongKeyIsSaidAtOnceAndChangesNothing(t *testing.T) {
	t.Parallel()
	inner := memltm.New()
	put(t, open(t, inner, nil, key(t, 1)), secretRecord("k"))
	before, _ := inner.Revision(t.Context())
	_, err := sealed.New(t.Context(), inner, []sealed.Key{key(t, 2)}, nil)
	if !errors.Is(err, driver.ErrConfig) || !strings.Contains(err.Error(), "encrypted with the key "+key(t, 1).String()) ||
		!strings.Contains(err.Error(), key(t, 2).String()) {
		t.Errorf("got %v", err)
	}
	if after, _ := inner.Revision(t.Context()); after != before {
		t.Error("the store was changed")
	}
}

func TestTheFormIsTheStores(t *testing.T) {
	t.Parallel()
	inner := memltm.New()
	open(t, inner, nil, key(t, 1))
	_, err := sealed.New(t.Context(), inner, []sealed.Key{key(t, 1)}, &sealed.Options{ClearMetadata: true})
	if !errors.Is(err, driver.ErrConfig) || !strings.Contains(err.Error(), "made with encrypt_metadata=true") {
		t.Errorf("got %v", err)
	}
}

func TestAKeyIsReplaced(t *testing.T) {
	t.Parallel()
	inner := memltm.New()
	put(t, open(t, inner, nil, key(t, 1)), secretRecord("old"))
	both := open(t, inner, nil, key(t, 2), key(t, 1))
	put(t, both, secretRecord("new"))
	for _, k := range []string{"old", "new"} {
		r, err := both.Get(t.Context(), driver.Key{Key: k})
		if err != nil || string(r.Value) != "topsecretvalue" {
			t.Errorf("%s: %q, %v", k, r.Value, err)
		}
	}
	first := open(t, inner, nil, key(t, 1))
	if _, err := first.Get(t.Context(), driver.Key{Key: "new"}); !errors.Is(err, driver.ErrConfig) {
		t.Errorf("the old key reads what the new one wrote: %v", err)
	}
}

func TestRecordsThatWereMovedOrDamagedDoNotDecrypt(t *testing.T) {
	t.Parallel()
	inner := memltm.New()
	s := open(t, inner, nil, key(t, 1))
	put(t, s, secretRecord("k"))
	stored, err := inner.Get(t.Context(), driver.Key{Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, r driver.Record) {
		t.Helper()
		put(t, inner, r)
		if got, err := s.Get(t.Context(), r.Key); !errors.Is(err, driver.ErrCorrupt) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	for what, to := range map[string]driver.Key{
		"key": {Key: "l"}, "namespace": {Namespace: "n", Key: "k"}, "space": {Space: driver.Cache, Key: "k"},
	} {
		moved := stored
		moved.Key = to
		check("another "+what, moved)
	}
	other := open(t, memltm.New(), &sealed.Options{Part: "other"}, key(t, 1))
	if _, err := other.Store.Put(t.Context(), stored, driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Get(t.Context(), stored.Key); !errors.Is(err, driver.ErrCorrupt) {
		t.Errorf("another part: %v", err)
	}
	swapped := stored
	swapped.Metadata = []byte(`{"sealed":"` + base64.RawStdEncoding.EncodeToString(stored.Value) + `"}`)
	check("the value as metadata", swapped)
	for i := range stored.Value {
		if i > 0 && i < 5 {
			continue // the id of the key: another error
		}
		damaged := stored
		damaged.Value = bytes.Clone(stored.Value)
		damaged.Value[i] ^= 0x10
		check(fmt.Sprint("byte ", i), damaged)
	}
	for _, v := range []string{"", "plain"} {
		plain := stored
		plain.Value = []byte(v)
		check("what is not encrypted", plain)
	}
}

func TestAReadOnlyStoreOpens(t *testing.T) {
	t.Parallel()
	inner := memltm.New()
	open(t, readonly.New(inner), nil, key(t, 1))
	put(t, open(t, inner, nil, key(t, 1)), secretRecord("k"))
	s := open(t, readonly.New(inner), nil, key(t, 1))
	if _, err := s.Get(t.Context(), driver.Key{Key: "k"}); err != nil {
		t.Error(err)
	}
}

func TestReadKeys(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{1}, 32)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return "file:" + path
	}
	env := map[string]string{
		"HEX": hex.EncodeToString(secret), "B64": base64.StdEncoding.EncodeToString(secret) + "\n",
		"URL": base64.RawURLEncoding.EncodeToString(secret), "SHORT": "c2hvcnQ=", "EMPTY": "",
	}
	getenv := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	want := key(t, 1).String()
	for _, source := range []string{"env:HEX", "env:B64", "env:URL", file("raw", string(secret)), file("b64", env["B64"])} {
		keys, err := sealed.ReadKeys(source, getenv)
		if err != nil || len(keys) != 1 || keys[0].String() != want {
			t.Errorf("%s: %v, %v", source, keys, err)
		}
	}
	if keys, err := sealed.ReadKeys("env:HEX,env:B64", getenv); err != nil || len(keys) != 2 {
		t.Errorf("two keys: %v, %v", keys, err)
	}
	for source, text := range map[string]string{
		"env:NONE": `"NONE" is not set; make one with: openssl`, "env:EMPTY": "is not set", "env:SHORT": "does not hold 32 bytes",
		"file:" + dir + "/none": "no such file", "": "env:NAME or file:PATH", env["HEX"]: "never given itself",
		"env:HEX,": "encryption key 2",
	} {
		_, err := sealed.ReadKeys(source, getenv)
		if !errors.Is(err, driver.ErrConfig) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", source, err)
		}
		if err != nil && (strings.Contains(err.Error(), env["HEX"]) || strings.Contains(err.Error(), "c2hvcnQ")) {
			t.Errorf("%s: the error shows a key", source)
		}
	}
	if text := fmt.Sprintf("%v %+v %#v", key(t, 1), key(t, 1), key(t, 1)); strings.Contains(text, "1, 1") || strings.Contains(text, "0x1") || !strings.Contains(text, want) {
		t.Errorf("a key prints as %s", text)
	}
}
