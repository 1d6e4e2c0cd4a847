package libsqlltm_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
)

// often returns how many times to do something: all with TEA_SOAK=1, a twentieth
// without.
func often(all int) int {
	if drivertest.Soaking() {
		return all
	}
	return all / 20
}

// victim is a server that is killed and started again, at the same place.
type victim struct {
	path, addr, dir string
	cmd             *exec.Cmd
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sqld := testserver.LibSQL()
	v := &victim{path: testserver.Need(t, sqld.Name, sqld.Install), addr: l.Addr().String(), dir: t.TempDir()}
	l.Close()
	v.start(t)
	t.Cleanup(v.kill)
	return v
}

func (v *victim) start(t *testing.T) {
	t.Helper()
	_, port, _ := net.SplitHostPort(v.addr)
	v.cmd = exec.Command(v.path, testserver.LibSQL().Args(port, v.dir)...)
	v.cmd.Dir = v.dir
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); testserver.LibSQL().Ready(t.Context(), v.addr) != nil; time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatal("the server does not start again")
		}
	}
}

// kill ends the server without a word, as kill -9 does.
func (v *victim) kill() {
	_ = v.cmd.Process.Kill()
	_ = v.cmd.Wait()
}

// What a put acknowledged is there after the server was killed and started
// again, and the same store goes on.
func TestCrashLosesNothing(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	s := open(t, "http+libsql://"+v.addr)
	acknowledged := map[string]bool{}
	for round := range often(100) {
		pause := time.Duration(20+rand.IntN(80)) * time.Millisecond
		stopped, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		var wg sync.WaitGroup
		for writer := range 4 {
			wg.Go(func() {
				for i := 0; stopped.Err() == nil; i++ {
					name := fmt.Sprint(round, " ", writer, " ", i)
					if put(t.Context(), s, name, name) != nil {
						continue // killed: nobody knows
					}
					mu.Lock()
					acknowledged[name] = true
					mu.Unlock()
				}
			})
		}
		time.Sleep(pause)
		v.kill()
		cancel()
		wg.Wait()
		v.start(t)
		ltmtest.Recovers(t, "get", func(ctx context.Context) error { return ignore(get(ctx, s, "none")) })
	}
	for name := range acknowledged {
		if err := get(t.Context(), s, name); err != nil {
			t.Fatalf("%q was acknowledged: %v", name, err)
		}
	}
	hits, err := s.(driver.FullText).Search(t.Context(), driver.Query{Limit: 1 << 20, KeysOnly: true}, []string{"word"})
	if err != nil {
		t.Fatal(err)
	}
	if len(hits) < len(acknowledged) || len(acknowledged) == 0 {
		t.Errorf("the text index has %d, and %d were acknowledged", len(hits), len(acknowledged))
	}
	t.Logf("%d crashes, %d acknowledged puts", often(100), len(acknowledged))
}

func get(ctx context.Context, s driver.Store, name string) error {
	r, err := s.Get(ctx, key(name))
	if err == nil && string(r.Value) != name {
		return fmt.Errorf("it holds %q", r.Value)
	}
	return err
}

func ignore(err error) error {
	if errors.Is(err, driver.ErrNotFound) {
		return nil
	}
	return err
}
