package blobsqliteltm

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/blob/blobtest"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

func BenchmarkFile(b *testing.B) {
	drivertest.Bench(b, func(b *testing.B) driver.Store {
		b.Helper()
		return openURL(b, "blob-sqlite+file://"+filepath.Join(b.TempDir(), "k.db"))
	})
}

// BenchmarkS3 has the server in the same process: the time of the network comes
// on top.
func BenchmarkS3(b *testing.B) {
	s := openURL(b, Engine().Prefix+blobtest.S3(b).URI("k.db"))
	put(b, s, "k", strings.Repeat("v", 1024))
	b.Run("put", func(b *testing.B) {
		for b.Loop() {
			put(b, s, "k", strings.Repeat("v", 1024))
		}
	})
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			want(b, s, "k", strings.Repeat("v", 1024))
		}
	})
	fresh := openURL(b, with(Engine().Prefix+blobtest.S3(b).URI("k.db"), "max_staleness=0"))
	put(b, fresh, "k", "v")
	b.Run("get that asks", func(b *testing.B) {
		for b.Loop() {
			want(b, fresh, "k", "v")
		}
	})
}
