package cache_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver"
	"github.com/tea-agents/tea/internal/testserver/pgserver"
	"github.com/tea-agents/tea/ltm/cache"
)

// proofVariable may name the one store on which the proofs are run.
const proofVariable = "TEA_CACHE_PROOF_URL"

// onShared runs a proof on each kind of store that processes share, one after
// another: a machine has enough to do with one herd.
func onShared(t *testing.T, proof func(t *testing.T, url string)) {
	t.Helper()
	if url := os.Getenv(proofVariable); url != "" {
		proof(t, url)
		return
	}
	for _, store := range []struct {
		name string
		url  func(t *testing.T) string
	}{
		{"sqlite", func(t *testing.T) string {
			t.Helper()
			return "sqlite://" + filepath.Join(t.TempDir(), "cache.db")
		}},
		{"postgres", func(t *testing.T) string {
			t.Helper()
			s := pgserver.Start(t, "max_connections=100") // its own default
			return s.URL(s.Addr(), "")
		}},
		{"redis", func(t *testing.T) string {
			t.Helper()
			return "redis://" + testserver.Start(t, testserver.Redis())
		}},
	} {
		t.Run(store.name, func(t *testing.T) { proof(t, store.url(t)) })
	}
}

// times is how often a proof is repeated: more with TEA_SOAK=1.
func times(t *testing.T, few, soak int) int {
	t.Helper()
	switch {
	case os.Getenv("TEA_SOAK") == "1":
		return soak
	case testing.Short():
		return 1
	}
	return few
}

// TestAStampedeRunsOnce: 64 processes, one key, an action of 300 ms.
func TestAStampedeRunsOnce(t *testing.T) {
	t.Parallel()
	onShared(t, stampede)
}

func stampede(t *testing.T, url string) {
	t.Helper()
	const herd = 64
	f := newFamily(t, url, cache.DefaultLeaseTTL)
	members := make([]*member, herd)
	for i := range members {
		members[i] = f.add()
	}
	var longest time.Duration
	rounds := times(t, 5, 100)
	for round := range rounds {
		start := time.Now()
		key := fmt.Sprintf("stampede-%d-%d", os.Getpid(), round)
		for _, m := range members {
			f.call(m, key, 300*time.Millisecond)
		}
		if runs, values := f.served(herd); len(runs) != 1 || len(values) != 1 {
			t.Errorf("round %d: %d runs, values of %d", round, len(runs), len(values))
		}
		longest = max(longest, time.Since(start))
	}
	t.Logf("%d rounds of %d processes; the longest took %v", rounds, herd, longest.Round(time.Millisecond))
}

// TestAKilledLeaderIsTakenOver: kill -9 in the middle of the action, at any
// moment of the lease.
func TestAKilledLeaderIsTakenOver(t *testing.T) {
	t.Parallel()
	onShared(t, takeover)
}

func takeover(t *testing.T, url string) {
	t.Helper()
	const proofTTL = time.Second // of the leases of processes that are killed
	f := newFamily(t, url, proofTTL)
	var waiters [3]*member
	for i := range waiters {
		waiters[i] = f.add()
	}
	var longest time.Duration
	trials := times(t, 5, 100)
	for trial := range trials {
		key := fmt.Sprintf("takeover-%d-%d", os.Getpid(), trial)
		leader := f.add()
		f.call(leader, key, time.Hour)
		if line := f.next(); !strings.HasPrefix(line, "run ") {
			t.Fatalf("trial %d: %q", trial, line)
		}
		for _, m := range waiters {
			f.call(m, key, 10*time.Millisecond)
		}
		time.Sleep(rand.N(proofTTL))
		leader.kill()
		killed := time.Now()
		runs, values := f.served(len(waiters))
		if len(runs) != 1 || len(values) != 1 {
			t.Fatalf("trial %d: %d more runs, values of %d", trial, len(runs), len(values))
		}
		took := runs[0].Sub(killed)
		longest = max(longest, took)
		if took > proofTTL+time.Second {
			t.Errorf("trial %d: the takeover took %v", trial, took)
		}
	}
	t.Logf("%d kills under leases of %v; the longest takeover took %v", trials, proofTTL, longest.Round(time.Millisecond))
}
