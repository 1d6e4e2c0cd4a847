package redisltm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver"
	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
)

// killable is a server that writes every change to its disk before it answers.
type killable struct {
	path, addr, dir string
	cmd             *exec.Cmd
}

func startKillable(tb testing.TB) *killable {
	tb.Helper()
	redis := testserver.Redis()
	k := &killable{path: testserver.Need(tb, redis.Name, redis.Install), addr: badnet.FreeAddr(tb), dir: tb.TempDir()}
	k.start(tb)
	tb.Cleanup(func() {
		if k.cmd != nil {
			k.kill(tb)
		}
	})
	return k
}

func (k *killable) start(tb testing.TB) {
	tb.Helper()
	_, port, _ := net.SplitHostPort(k.addr)
	k.cmd = exec.Command(k.path, "--port", port, "--bind", "127.0.0.1", "--dir", k.dir, "--save", "",
		"--appendonly", "yes", "--appendfsync", "always")
	if err := k.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		err := ping(k.addr)
		if err == nil {
			return
		}
		if time.Since(begun) > 20*time.Second {
			tb.Fatal(err)
		}
	}
}

// ping asks whether a server has its data and answers.
func ping(addr string) error {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	answer := make([]byte, len("+PONG"))
	if _, err = conn.Write([]byte("PING\r\n")); err == nil {
		_, err = io.ReadFull(conn, answer)
	}
	if err == nil && string(answer) != "+PONG" {
		err = fmt.Errorf("it says %s", answer)
	}
	return err
}

func (k *killable) kill(tb testing.TB) {
	tb.Helper()
	if err := k.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		tb.Error(err)
	}
	_ = k.cmd.Wait() // it was killed
	k.cmd = nil
}

func (k *killable) signal(tb testing.TB, s os.Signal) {
	tb.Helper()
	if err := k.cmd.Process.Signal(s); err != nil {
		tb.Error(err)
	}
}

func (k *killable) pause(tb testing.TB)  { tb.Helper(); k.signal(tb, syscall.SIGSTOP) }
func (k *killable) resume(tb testing.TB) { tb.Helper(); k.signal(tb, syscall.SIGCONT) }

// Each call of each kind keeps its deadline under each fault, also with values
// that take many packets, and ends when its context is canceled.
func TestDeadlines(t *testing.T) { //nolint:paralleltest // see KeepDeadlines
	server := start(t)
	fresh := prefixes(server)
	big := driver.Record{Key: driver.Key{Key: "big"}, Value: make([]byte, 4<<20), Metadata: []byte(`{"a":1}`), Terms: "tea", UpdatedAt: 1}
	ltmtest.KeepDeadlines(t, func(t *testing.T) (*badnet.Network, map[string]ltmtest.Call) {
		t.Helper()
		n := badnet.New(t, server)
		s := open(t, strings.Replace(fresh(t), server, n.Addr(), 1))
		if _, err := s.Put(t.Context(), big, driver.Condition{}); err != nil {
			t.Fatal(err)
		}
		return n, everyCall(s, big)
	})
}

// everyCall makes the calls that a fault may hold up.
func everyCall(s driver.Store, r driver.Record) map[string]ltmtest.Call {
	return map[string]ltmtest.Call{
		"get":    func(ctx context.Context) error { _, err := s.Get(ctx, r.Key); return err },
		"put":    func(ctx context.Context) error { _, err := s.Put(ctx, r, driver.Condition{}); return err },
		"delete": func(ctx context.Context) error { _, err := s.Delete(ctx, driver.Key{Key: "none"}, 0); return err },
		"list":   func(ctx context.Context) error { _, err := s.List(ctx, driver.Query{Limit: 9}); return err },
		"filter": func(ctx context.Context) error {
			_, err := s.List(ctx, driver.Query{Limit: 9, Filters: []driver.Filter{{Path: []string{"a"}, Op: driver.Exists}}})
			return err
		},
		"search": func(ctx context.Context) error {
			_, err := driver.Search(ctx, s, driver.Query{Limit: 9, KeysOnly: true}, []string{"tea"})
			return err
		},
		"batch": func(ctx context.Context) error {
			_, err := driver.GetBatch(ctx, s, []driver.Key{r.Key, {Key: "none"}})
			return err
		},
		"expire": func(ctx context.Context) error { _, err := driver.DeleteExpired(ctx, s, 0, 1, 5); return err },
	}
}

// A server that does not answer ends a call without a deadline, by the
// parameter timeout.
func TestTimeout(t *testing.T) {
	t.Parallel()
	n := badnet.New(t, start(t))
	s := open(t, "redis://"+n.Addr()+"?timeout=500ms")
	defer n.Break(t, badnet.HalfOpen)()
	begun := time.Now()
	if _, err := s.Get(t.Context(), driver.Key{Key: "k"}); !errors.Is(err, driver.ErrUnavailable) {
		t.Error(err)
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
}

// Close ends calls that wait for the server.
func TestCloseEndsCalls(t *testing.T) {
	t.Parallel()
	n := badnet.New(t, start(t))
	ltmtest.CloseEndsCalls(t, n, open(t, "redis://"+n.Addr()))
}

// What was acknowledged survives the kill of the server.
func TestKills(t *testing.T) {
	t.Parallel()
	kills := 5
	if drivertest.Soaking() {
		kills = 100
	}
	server := startKillable(t)
	s := open(t, "redis://"+server.addr)
	acknowledged := map[string]bool{}
	for n := range kills {
		stop := time.AfterFunc(time.Duration(20+7*n%50)*time.Millisecond, func() { server.signal(t, syscall.SIGKILL) })
		for i := 0; ; i++ {
			r := driver.Record{Key: driver.Key{Key: fmt.Sprint(n, " ", i)}, Metadata: []byte(`{"a":1}`), Terms: "tea", UpdatedAt: 1}
			if _, err := s.Put(t.Context(), r, driver.Condition{}); err != nil {
				if !errors.Is(err, driver.ErrUnavailable) {
					t.Fatal(err)
				}
				break
			}
			acknowledged[r.Key.Key] = true
		}
		stop.Stop()
		server.kill(t)
		server.start(t)
	}
	found := map[string]bool{}
	for r, err := range driver.All(t.Context(), s, driver.Query{KeysOnly: true}) {
		if err != nil {
			t.Fatal(err)
		}
		found[r.Key.Key] = true
	}
	for key := range acknowledged {
		if !found[key] {
			t.Errorf("%s is lost", key)
		}
	}
	t.Logf("%d kills, %d records acknowledged, %d found", kills, len(acknowledged), len(found))
}
