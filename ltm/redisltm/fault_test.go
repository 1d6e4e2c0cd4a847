package redisltm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver"
	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

// proxy is a network before a server that can go bad.
type proxy struct{ *badnet.Network }

func newProxy(tb testing.TB, upstream string) *proxy {
	tb.Helper()
	return &proxy{badnet.New(tb, upstream)}
}

// toxic returns a fault that lasts until it is ended.
func (p *proxy) toxic(name, kind, stream, attributes string) drivertest.Fault {
	text := fmt.Sprintf(`"type":%q,"stream":%q,"attributes":{%s}`, kind, stream, attributes)
	return drivertest.Fault{Name: name, Patience: 5 * time.Second, Begin: func(t *testing.T) func() {
		t.Helper()
		return p.Break(t, text)
	}}
}

func (p *proxy) faults() []drivertest.Fault {
	return []drivertest.Fault{
		p.toxic("latency", "latency", "downstream", `"latency":2000`),
		p.toxic("reset", "reset_peer", "downstream", `"timeout":0`),
		p.toxic("reset later", "reset_peer", "upstream", `"timeout":100`),
		p.toxic("blackhole", "timeout", "downstream", `"timeout":0`),
		p.toxic("half-open", "timeout", "upstream", `"timeout":0`),
		p.toxic("slow reads", "slicer", "downstream", `"average_size":1,"size_variation":0,"delay":50000`),
		p.toxic("slow writes", "bandwidth", "upstream", `"rate":0`),
		p.toxic("cut short", "limit_data", "downstream", `"bytes":10`),
	}
}

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
func TestDeadlines(t *testing.T) {
	t.Parallel()
	p := newProxy(t, start(t))
	s := open(t, "redis://"+p.Addr())
	big := driver.Record{Key: driver.Key{Key: "big"}, Value: make([]byte, 4<<20), Metadata: []byte(`{"a":1}`), UpdatedAt: 1}
	if _, err := s.Put(t.Context(), big, driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	for _, f := range p.faults() {
		t.Run(f.Name, func(t *testing.T) {
			defer f.Begin(t)()
			var wg sync.WaitGroup
			for name, call := range everyCall(s, big) {
				wg.Go(func() { late(t, name, call) })
			}
			wg.Wait()
		})
	}
}

// everyCall makes the calls that a fault may hold up.
func everyCall(s driver.Store, r driver.Record) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"get":    func(ctx context.Context) error { _, err := s.Get(ctx, r.Key); return err },
		"put":    func(ctx context.Context) error { _, err := s.Put(ctx, r, driver.Condition{}); return err },
		"delete": func(ctx context.Context) error { _, err := s.Delete(ctx, driver.Key{Key: "none"}, 0); return err },
		"list":   func(ctx context.Context) error { _, err := s.List(ctx, driver.Query{Limit: 9}); return err },
		"filter": func(ctx context.Context) error {
			_, err := s.List(ctx, driver.Query{Limit: 9, Filters: []driver.Filter{{Path: []string{"a"}, Op: driver.Exists}}})
			return err
		},
		"batch": func(ctx context.Context) error {
			_, err := driver.GetBatch(ctx, s, []driver.Key{r.Key, {Key: "none"}})
			return err
		},
		"expire": func(ctx context.Context) error { _, err := driver.DeleteExpired(ctx, s, 0, 1, 5); return err },
	}
}

// late checks that a call ends with its deadline, and with its cancellation.
func late(t *testing.T, name string, call func(context.Context) error) {
	t.Helper()
	const limit = 150 * time.Millisecond
	for _, kind := range []string{"deadline", "cancel"} {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		if kind == "cancel" {
			ctx, cancel = context.WithCancel(t.Context())
			time.AfterFunc(limit, cancel)
		}
		late, err := drivertest.Late(ctx, call)
		if late > drivertest.Grace {
			t.Errorf("%s: %s: it returns %v after that", name, kind, late)
		}
		if err != nil && !errors.Is(err, ctx.Err()) && !errors.Is(err, driver.ErrUnavailable) {
			t.Errorf("%s: %s: %v", name, kind, err)
		}
		cancel()
	}
}

// A server that does not answer ends a call without a deadline, by the
// parameter timeout.
func TestTimeout(t *testing.T) {
	t.Parallel()
	p := newProxy(t, start(t))
	s := open(t, "redis://"+p.Addr()+"?timeout=500ms")
	defer p.toxic("", "timeout", "downstream", `"timeout":0`).Begin(t)()
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
	p := newProxy(t, start(t))
	s := open(t, "redis://"+p.Addr())
	defer p.toxic("", "timeout", "downstream", `"timeout":0`).Begin(t)()
	done := make(chan error, 1)
	go func() {
		_, err := s.Get(context.Background(), driver.Key{Key: "k"})
		done <- err
	}()
	time.Sleep(50 * time.Millisecond) // on its way, or not yet begun: both must do
	begun := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, driver.ErrClosed) {
		t.Error(err)
	}
	if took := time.Since(begun); took > time.Second {
		t.Errorf("it took %v", took)
	}
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
			r := driver.Record{Key: driver.Key{Key: fmt.Sprint(n, " ", i)}, Metadata: []byte(`{"a":1}`), UpdatedAt: 1}
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
