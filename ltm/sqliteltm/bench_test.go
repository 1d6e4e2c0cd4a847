package sqliteltm_test

import (
	"bytes"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/sqliteltm"
	"github.com/tea-agents/tea/value"
)

// oneKB is a record of the cache space with a value of 1 KB.
func oneKB(key string) driver.Record {
	return driver.Record{
		Key:   driver.Key{Space: driver.Cache, Namespace: "bench", Key: key},
		Value: bytes.Repeat([]byte("v"), 1024), Metadata: []byte(`{"_cache_action":"llm.call"}`), UpdatedAt: 1,
	}
}

func benchStore(b *testing.B) driver.Store {
	b.Helper()
	return openURL(b, "sqlite://"+filepath.Join(b.TempDir(), "bench.db"))
}

func mustPut(b *testing.B, s driver.Store, r driver.Record) {
	b.Helper()
	if _, err := s.Put(b.Context(), r, driver.Condition{}); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkGet1KB(b *testing.B) {
	s := benchStore(b)
	for i := range 1000 {
		mustPut(b, s, oneKB(fmt.Sprint(i)))
	}
	keys := make([]driver.Key, 1000)
	for i := range keys {
		keys[i] = oneKB(fmt.Sprint(i)).Key
	}
	for i := 0; b.Loop(); i++ {
		if _, err := s.Get(b.Context(), keys[i%1000]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPut1KB(b *testing.B) {
	s := benchStore(b)
	for i := 0; b.Loop(); i++ {
		mustPut(b, s, oneKB(fmt.Sprint(i)))
	}
}

func BenchmarkPutOver1KB(b *testing.B) {
	s := benchStore(b)
	for i := 0; b.Loop(); i++ {
		mustPut(b, s, oneKB(fmt.Sprint(i%1000)))
	}
}

// BenchmarkMemoryGet1KB is Get with checksum and JSON.
func BenchmarkMemoryGet1KB(b *testing.B) {
	m := ltm.New(benchStore(b), nil).In(driver.Cache, "bench")
	v := value.Object(value.M("text", value.String(string(bytes.Repeat([]byte("v"), 1000)))))
	if _, err := m.Put(b.Context(), "k", v, nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := m.Get(b.Context(), "k"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemoryPutUser1KB is Put into the user space, with its text index.
func BenchmarkMemoryPutUser1KB(b *testing.B) {
	m := ltm.New(benchStore(b), nil)
	v := value.Object(value.M("text", value.String(string(bytes.Repeat([]byte("some words "), 90)))))
	for i := 0; b.Loop(); i++ {
		if _, err := m.Put(b.Context(), fmt.Sprint(i), v, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDeleteExpired5(b *testing.B) {
	s := benchStore(b).(*sqliteltm.Store)
	for i := range 100_000 {
		r := oneKB(fmt.Sprint(i))
		r.Value, r.ExpiresAt = r.Value[:100], 1_000_000+int64(i)
		mustPut(b, s, r)
	}
	next := 0
	for b.Loop() {
		b.StopTimer()
		for range 5 {
			r := oneKB(fmt.Sprint("old", next))
			r.Value, r.ExpiresAt = r.Value[:100], 2
			mustPut(b, s, r)
			next++
		}
		b.StartTimer()
		if n, err := s.DeleteExpired(b.Context(), driver.Cache, 10, 5); n != 5 || err != nil {
			b.Fatal(n, err)
		}
	}
}

// BenchmarkOpenAndGet opens an existing file and reads one record.
func BenchmarkOpenAndGet(b *testing.B) {
	path := "sqlite://" + filepath.Join(b.TempDir(), "bench.db")
	s := openURL(b, path)
	mustPut(b, s, oneKB("k"))
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m, err := builtin.Mux().Open(b.Context(), path, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := m.In(driver.Cache, "bench").Get(b.Context(), "none"); err == nil {
			b.Fatal("found")
		}
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenFresh(b *testing.B) {
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		u := &url.URL{Scheme: "sqlite", Path: filepath.Join(dir, fmt.Sprint(i))}
		s, err := sqliteltm.Open(b.Context(), u)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDriver(b *testing.B) {
	drivertest.Bench(b, func(b *testing.B) driver.Store {
		b.Helper()
		s, err := sqliteltm.Open(b.Context(), &url.URL{Scheme: "sqlite", Path: filepath.Join(b.TempDir(), "bench.db")})
		if err != nil {
			b.Fatal(err)
		}
		return s
	})
}
