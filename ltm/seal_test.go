package ltm

import (
	"bytes"
	"errors"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

func sealedRecord(t *rapid.T) driver.Record {
	r := driver.Record{
		Key: driver.Key{
			Space:     driver.Space(rapid.IntRange(0, 3).Draw(t, "space")),
			Namespace: rapid.String().Draw(t, "namespace"),
			Key:       rapid.String().Draw(t, "key"),
		},
		Metadata:  []byte(`{"a":"b"}`),
		UpdatedAt: rapid.Int64().Draw(t, "updated"),
		ExpiresAt: rapid.Int64().Draw(t, "expires"),
	}
	r.Value = seal(&r, value.String(rapid.String().Draw(t, "value")).AppendJSON(nil))
	return r
}

func TestSealedRecordsOpen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := sealedRecord(t)
		if _, err := open(&r); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAnyChangeIsCorrupt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := sealedRecord(t)
		bit := rapid.IntRange(0, 63).Draw(t, "bit")
		switch rapid.IntRange(0, 6).Draw(t, "field") {
		case 0:
			r.Key.Space ^= 1 << (bit % 8)
		case 1:
			r.Key.Key += "x"
		case 2:
			r.Key.Namespace = "x" + r.Key.Namespace
		case 3:
			r.UpdatedAt ^= 1 << bit
		case 4:
			r.ExpiresAt ^= 1 << bit
		case 5:
			r.Metadata = bytes.Replace(r.Metadata, []byte("b"), []byte("c"), 1)
		case 6:
			i := rapid.IntRange(0, len(r.Value)*8-1).Draw(t, "at")
			r.Value[i/8] ^= 1 << (i % 8)
		}
		if e, err := open(&r); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("it opens as %v, %v", e, err)
		}
	})
}

func TestMovingTextBetweenFieldsIsCorrupt(t *testing.T) {
	t.Parallel()
	r := driver.Record{Key: driver.Key{Namespace: "ab", Key: "c"}, Metadata: []byte("{}")}
	r.Value = seal(&r, []byte("1"))
	r.Key = driver.Key{Namespace: "a", Key: "bc"}
	if _, err := open(&r); !errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}

func TestANewerFormatIsTold(t *testing.T) {
	t.Parallel()
	r := driver.Record{Key: driver.Key{Key: "k"}, Metadata: []byte("{}")}
	r.Value = append([]byte{sealVersion + 1}, make([]byte, 64)...)
	if _, err := open(&r); !errors.Is(err, ErrNewer) {
		t.Errorf("got %v", err)
	}
	r.Value = nil
	if _, err := open(&r); !errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"libsql://h/db?authToken=abc&tls=1": "libsql://h/db?authToken=xxxxx&tls=1",
		"postgres://u:pw@h/db?sslmode=off":  "postgres://u:xxxxx@h/db?sslmode=off",
		"redis://h?PASSWORD=pw&password=pw": "redis://h?PASSWORD=xxxxx&password=xxxxx",
		"sqlite:agent.db":                   "sqlite:agent.db",
		"sqlite://h?a;password=pw":          "sqlite://h?xxxxx",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := Redact(u); got != want {
			t.Errorf("%s is shown as %s, want %s", raw, got, want)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{"", "a.db", "sqlite:a", "sqlite://h/p?x=y", "C:\\a.db", "x://u:hunter2@h:p/", "a:b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := parseURL(raw)
		if err != nil && !errors.Is(err, ErrConfig) {
			t.Errorf("%q: %v", raw, err)
		}
		if err == nil && u.Scheme == "" {
			t.Errorf("%q has no scheme", raw)
		}
	})
}

func FuzzCursor(f *testing.F) {
	m := &Memory{core: &core{}}
	q := Query{Prefix: "p"}
	d := driver.Query{}
	f.Add(m.cursor(&q, &d, &driver.Hit{Record: driver.Record{Key: driver.Key{Key: "k"}}, Score: 1.5}))
	f.Add("W10")
	f.Fuzz(func(t *testing.T, text string) {
		q := q
		q.Cursor = text
		p, err := m.parseCursor(&q)
		if err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: %v", text, err)
		}
		if text != "" && err == nil && p == nil {
			t.Errorf("%q leads nowhere", text)
		}
	})
}

func TestShortKeepsWholeCharacters(t *testing.T) {
	t.Parallel()
	got := short(strings.Repeat("長", 100))
	if got != strings.Repeat("長", 33)+"…" {
		t.Errorf("got %q", got)
	}
}
