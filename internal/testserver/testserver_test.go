package testserver_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/testserver"
)

// TestMain is also the server that the tests run.
func TestMain(m *testing.M) {
	switch os.Getenv("TESTSERVER_ACT") {
	case "serve":
		serve(os.Args[1], os.Args[2])
	case "end":
		fmt.Fprintln(os.Stderr, "cannot read the configuration")
		os.Exit(3)
	default:
		os.Exit(m.Run())
	}
}

func serve(port, dir string) {
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			panic(err)
		}
		dir, _ := os.Getwd()
		fmt.Fprint(conn, dir)
		conn.Close()
	}
}

func self(t *testing.T, act string) testserver.Server {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return testserver.Server{
		Name: path, Env: []string{"TESTSERVER_ACT=" + act},
		Args: func(port, dir string) []string { return []string{port, dir} },
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	var addr, dir string
	t.Run("a test with a server", func(t *testing.T) {
		addr = testserver.Start(t, self(t, "serve"))
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := fmt.Fscan(conn, &dir); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "mine")); err != nil {
			t.Error(err)
		}
	})
	if conn, err := net.Dial("tcp", addr); err == nil {
		conn.Close()
		t.Error("the server outlives the test")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("its directory stays: %v", err)
	}
}

func TestReadyIsAskedUntilItAgrees(t *testing.T) {
	t.Parallel()
	asked := 0
	s := self(t, "serve")
	s.Ready = func(context.Context, string) error {
		if asked++; asked < 3 {
			return errors.New("starting up")
		}
		return nil
	}
	testserver.Start(t, s)
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}

func TestAServerThatEndsIsAFailure(t *testing.T) {
	t.Parallel()
	got := outcome(t, func(tb testing.TB) {
		tb.Helper()
		testserver.Start(tb, self(t, "end"))
	})
	for _, want := range []string{"failed", "ended before it answered", "exit status 3", "cannot read the configuration"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s: lacks %q", got, want)
		}
	}
}

func TestMissingProgram(t *testing.T) { //nolint:paralleltest // sets the environment
	for require, want := range map[string]string{
		"":    "skipped: there is no tea-no-such-program: apt install it",
		"all": "failed: TEA_TEST_REQUIRE=all, but there is no tea-no-such-program: apt install it",
	} {
		t.Setenv("TEA_TEST_REQUIRE", require)
		got := outcome(t, func(tb testing.TB) {
			tb.Helper()
			testserver.Need(tb, "tea-no-such-program", "apt install it")
		})
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", require, got, want)
		}
	}
}

// recorder is a test that says how it ended.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Fatalf(format string, args ...any) { r.end("failed: "+format, args) }
func (r *recorder) Skipf(format string, args ...any)  { r.end("skipped: "+format, args) }

func (r *recorder) end(format string, args []any) {
	r.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func outcome(t *testing.T, test func(testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	return r.said
}
