package blobsqliteltm

import (
	"bytes"
	"errors"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/bucketltm"
	"github.com/tea-agents/tea/ltm/driver"
)

// content reads an object, or puts it where it is not.
func content(t *testing.T, raw string, put []byte) []byte {
	t.Helper()
	u := mustParse(t, strings.TrimPrefix(raw, Engine().Prefix))
	o, err := object.Open(t.Context(), u, "")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if put != nil {
		if _, err := o.Put(t.Context(), bytes.NewReader(put), int64(len(put)), ""); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if _, err := o.Get(t.Context(), "", &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// besides returns the URL of another object in the same place.
func besides(t *testing.T, raw, path string) string {
	t.Helper()
	u := mustParse(t, raw)
	u.Path = path
	return u.String()
}

func TestADamagedCacheIsSetAsideAndBegunAnew(t *testing.T) {
	t.Parallel()
	whole, edit := ours(t)
	cases := map[string]struct {
		content []byte
		stays   error // nil: it is begun anew
	}{
		"text":            {bytes.Repeat([]byte("hello "), 100), nil},
		"torn":            {whole[:len(whole)/2], nil},
		"a damaged page":  {edit(4096, bytes.Repeat([]byte{0xff}, 4096)...), nil},
		"another program": {edit(68, 1, 2, 3, 4), driver.ErrForeign},
		"a newer version": {edit(60, 0, 0, 9, 9), driver.ErrNewer},
	}
	for _, place := range []string{"file", "s3"} {
		at := places()[place](t)
		for name, tt := range cases {
			t.Run(place+" "+name, func(t *testing.T) {
				t.Parallel()
				raw := at(strings.ReplaceAll(name, " ", "-") + ".db")
				content(t, raw, tt.content)
				var warned []string
				open, err := Opener(mustParse(t, raw), &bucketltm.Options{Disposable: true, Warn: func(text string) { warned = append(warned, text) }})
				if err != nil {
					t.Fatal(err)
				}
				s, err := open(t.Context())
				if !errors.Is(err, tt.stays) {
					t.Fatalf("opened: %v", err)
				}
				if err != nil {
					if len(warned) != 0 || !bytes.Equal(content(t, raw, nil), tt.content) {
						t.Errorf("it was replaced: %q", warned)
					}
					return
				}
				put(t, s, "new", "v")
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				found := regexp.MustCompile(`is damaged \(.+\); it is set aside as (\S+) and begun anew$`).FindStringSubmatch(strings.Join(warned, "\n"))
				if len(warned) != 1 || found == nil {
					t.Fatalf("warnings: %q", warned)
				}
				aside, err := url.Parse(found[1])
				if err != nil {
					t.Fatal(err)
				}
				if got := content(t, besides(t, raw, aside.Path), nil); !bytes.Equal(got, tt.content) {
					t.Errorf("of %d bytes %d are aside", len(tt.content), len(got))
				}
				again := openURL(t, raw)
				want(t, again, "new", "v")
				if n := count(t, again); n != 1 {
					t.Errorf("it holds %d records", n)
				}
			})
		}
	}
}
