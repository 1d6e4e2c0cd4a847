package redisltm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/value"
)

func BenchmarkStore(b *testing.B) {
	fresh := prefixes(start(b))
	drivertest.Bench(b, func(b *testing.B) driver.Store {
		b.Helper()
		return open(b, fresh(b))
	})
}

// prose returns texts of about 1 KB and 100 different words, some of which are
// in most of them and most in few.
func prose() func() string {
	dice := rand.New(rand.NewPCG(1, 2))
	return func() string {
		var b strings.Builder
		for b.Len() < 1024 {
			fmt.Fprintf(&b, "word%d ", int(math.Pow(100_000, dice.Float64())))
		}
		return b.String()
	}
}

// BenchmarkMemoryPutUser1KB puts texts of 1 KB into the user space, with what
// they are found by, and tells the memory that each takes.
func BenchmarkMemoryPutUser1KB(b *testing.B) {
	addr := start(b)
	m, text := ltm.New(open(b, "redis://"+addr), nil), prose()
	before, n := used(b, raw(b, addr)), 0
	for ; b.Loop(); n++ {
		if _, err := m.Put(b.Context(), fmt.Sprintf("key-%09d", n), value.String(text()), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(used(b, raw(b, addr))-before)/float64(n), "memory/entry")
}

// BenchmarkMemoryOverwriteUser1KB puts other texts under keys that are there.
func BenchmarkMemoryOverwriteUser1KB(b *testing.B) {
	m, text := ltm.New(open(b, "redis://"+start(b)), nil), prose()
	for i := 0; b.Loop(); i++ {
		if _, err := m.Put(b.Context(), fmt.Sprintf("key-%09d", i%100), value.String(text()), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// used returns how many bytes a server has in use.
func used(b *testing.B, c *redis.Client) int64 {
	b.Helper()
	_, rest, _ := strings.Cut(c.Info(b.Context(), "memory").Val(), "used_memory:")
	text, _, _ := strings.Cut(rest, "\r")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}
