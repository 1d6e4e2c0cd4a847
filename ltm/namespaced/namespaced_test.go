package namespaced_test

import (
	"net/url"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/ltm/namespaced"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

// neighbours puts records around the part called name, which nobody in it must
// ever see.
func neighbours(t *testing.T, s driver.Store) {
	t.Helper()
	for _, namespace := range []string{"", "team", "team0", "team.", "tea/m", "team%2Fa/", "other/"} {
		for _, space := range []driver.Space{driver.User, driver.Cache} {
			for _, key := range []string{"k", "a", "'"} {
				r := driver.Record{Key: driver.Key{Space: space, Namespace: namespace, Key: key},
					Value: []byte("foreign"), Metadata: []byte(`{"a":1,"n":1}`), Terms: "tea word", UpdatedAt: 1, ExpiresAt: 2}
				if _, err := s.Put(t.Context(), r, driver.Condition{}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		drivertest.Run(t, func(t *testing.T) driver.Store {
			t.Helper()
			s := memltm.New()
			neighbours(t, s)
			return namespaced.New(s, "team")
		}, drivertest.Options{Checks: 10_000})
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		drivertest.Run(t, func(t *testing.T) driver.Store {
			t.Helper()
			s, err := sqliteltm.Open(t.Context(), &url.URL{Scheme: "sqlite", Opaque: ":memory:"})
			if err != nil {
				t.Fatal(err)
			}
			neighbours(t, s)
			return namespaced.New(s, "team")
		}, drivertest.Options{Checks: 10_000})
	})
}

func TestPartsNeverOverlap(t *testing.T) {
	t.Parallel()
	s := memltm.New()
	names := []string{"", "a", "a/b", "a%2Fb", "a%", "%", "/", "ab"}
	for _, name := range names {
		for _, namespace := range []string{"", "b", "b/"} {
			part := namespaced.New(s, name)
			r := driver.Record{Key: driver.Key{Namespace: namespace, Key: "k"}, Value: []byte(name), Metadata: []byte("{}"), UpdatedAt: 1}
			if created, err := part.Put(t.Context(), r, driver.Condition{}); err != nil || !created {
				t.Errorf("%q meets another part: %v", name, err)
			}
		}
	}
	for _, name := range names {
		found, err := namespaced.New(s, name).List(t.Context(), driver.Query{Limit: 99})
		if err != nil || len(found) != 3 {
			t.Errorf("%q lists %d records, %v", name, len(found), err)
		}
		for _, r := range found {
			if string(r.Value) != name {
				t.Errorf("%q shows a record of %q", name, r.Value)
			}
		}
	}
}
