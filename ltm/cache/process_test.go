package cache_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

const (
	// childVariable holds the URL of the store of a child.
	childVariable = "TEA_CACHE_TEST_CHILD"
	// ttlVariable holds how long the leases of a child last.
	ttlVariable = "TEA_CACHE_TEST_LEASE"
)

// child serves a call for each line "KEY DURATION" that it reads, and prints
// "run NANOSECONDS", the time, when it runs the action, which takes that long,
// and "served STATUS VALUE" at the end.
func child(url string) error {
	ctx := context.Background()
	mem, err := builtin.Mux().Open(ctx, url, nil)
	if err != nil {
		return err
	}
	defer mem.Close()
	// The machine is busier than any store should have to bear.
	ttl, err := time.ParseDuration(os.Getenv(ttlVariable))
	if err != nil {
		return err
	}
	c := cache.New(mem, &cache.Options{LeaseTTL: ttl, LookupTimeout: time.Minute, StoreTimeout: time.Minute})
	defer c.Close()
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		key, takes, _ := strings.Cut(lines.Text(), " ")
		d, err := time.ParseDuration(takes)
		if err != nil {
			return err
		}
		p := cache.Policy{Mode: cache.Both, TTL: time.Hour, Lease: true}
		v, o, err := c.Do(ctx, request(options{"key": key}), p, func(context.Context) (value.Value, error) {
			fmt.Println("run", time.Now().UnixNano())
			time.Sleep(d)
			return value.String(fmt.Sprint(os.Getpid())), nil
		})
		if err != nil {
			return err
		}
		fmt.Println("served", o.Status, v.Text())
	}
	return nil
}

// family is a number of processes on one store, and what they say.
type family struct {
	t     *testing.T
	url   string
	ttl   time.Duration // of leases
	lines chan string
}

func newFamily(t *testing.T, url string, ttl time.Duration) *family {
	t.Helper()
	return &family{t: t, url: url, ttl: ttl, lines: make(chan string, 1000)}
}

// member is one of them.
type member struct {
	cmd   *exec.Cmd
	input io.WriteCloser
	done  chan struct{}
}

// add starts a process, and returns when it is ready.
func (f *family) add() *member {
	f.t.Helper()
	m := &member{cmd: exec.Command(os.Args[0]), done: make(chan struct{})}
	m.cmd.Env = append(os.Environ(), childVariable+"="+f.url, ttlVariable+"="+f.ttl.String(),
		"GORACE=atexit_sleep_ms=0") // or each end of a herd would take a second
	m.cmd.Stderr = os.Stderr
	input, err := m.cmd.StdinPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	m.input = input
	output, err := m.cmd.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := m.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	if !lines.Scan() || lines.Text() != "ready" {
		f.t.Fatalf("a process said %q first", lines.Text())
	}
	go func() {
		defer close(m.done)
		for lines.Scan() {
			f.lines <- lines.Text()
		}
		m.cmd.Wait() // an error: it was killed
	}()
	f.t.Cleanup(m.end)
	return m
}

// end lets a process end by itself.
func (m *member) end() {
	m.input.Close()
	<-m.done
}

func (m *member) kill() {
	m.cmd.Process.Kill()
	<-m.done
}

// call lets a process serve a call whose action takes so long.
func (f *family) call(m *member, key string, takes time.Duration) {
	f.t.Helper()
	if _, err := fmt.Fprintln(m.input, key, takes); err != nil {
		f.t.Fatal(err)
	}
}

// next returns what is said next.
func (f *family) next() string {
	f.t.Helper()
	select {
	case line := <-f.lines:
		return line
	case <-time.After(time.Minute):
		f.t.Fatal("nobody says anything for a minute")
		return ""
	}
}

// served waits until n calls are served, and returns when the action ran and the
// different values.
func (f *family) served(n int) (runs []time.Time, values []string) {
	f.t.Helper()
	for n > 0 {
		line := strings.Fields(f.next())
		if line[0] == "run" {
			ns, err := strconv.ParseInt(line[1], 10, 64)
			if err != nil {
				f.t.Fatal(err)
			}
			runs = append(runs, time.Unix(0, ns))
			continue
		}
		n--
		if v := line[2]; !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return runs, values
}
