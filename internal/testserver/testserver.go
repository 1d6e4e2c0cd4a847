package testserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

const (
	attempts = 3                     // another process may take the port that was free
	patience = 30 * time.Second      // for the first answer
	pause    = 20 * time.Millisecond // between two questions
	grace    = 5 * time.Second       // from the interrupt to the kill
)

// Server says how to run a server.
type Server struct {
	// Name is the program's, to be found on the PATH, or its absolute path.
	Name string
	// Install tells how to get the program, for the message when it is missing.
	Install string
	// Args returns the arguments that make it listen on a port of 127.0.0.1 and
	// keep its files in dir, an empty directory that it is also started in.
	Args func(port, dir string) []string
	// Env is added to the environment, as NAME=value.
	Env []string
	// Ready returns nil when the server at addr does its work. Nil waits until
	// it takes connections.
	Ready func(ctx context.Context, addr string) error
}

// Need returns the path of a program. The test is skipped when there is none,
// or fails where TEA_TEST_REQUIRE=all.
func Need(tb testing.TB, name, install string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("TEA_TEST_REQUIRE") == "all" {
		tb.Fatalf("TEA_TEST_REQUIRE=all, but there is no %s: %s (%v)", name, install, err)
	}
	tb.Skipf("there is no %s: %s", name, install)
	return ""
}

// Start runs s until the test ends and returns its address, host:port, once it
// answers. The test fails when it does not.
func Start(tb testing.TB, s Server) string {
	tb.Helper()
	path := Need(tb, s.Name, s.Install)
	var errs []error
	for range attempts {
		addr, err := s.start(tb, path)
		if err == nil {
			return addr
		}
		errs = append(errs, err)
	}
	tb.Fatalf("%s: %v", s.Name, errors.Join(errs...))
	return ""
}

func (s Server) start(tb testing.TB, path string) (string, error) {
	tb.Helper()
	addr, err := freeAddr(tb.Context())
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	dir := tb.TempDir()
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	cmd := exec.CommandContext(ctx, path, s.Args(port, dir)...) //nolint:gosec // the test says what runs
	var out bytes.Buffer
	cmd.Dir, cmd.Env = dir, append(os.Environ(), s.Env...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Cancel, cmd.WaitDelay = func() error { return interrupt(cmd.Process) }, grace
	if err := cmd.Start(); err != nil {
		cancel()
		return "", err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its state tells
		close(ended)
	}()
	stop := func() {
		cancel()
		<-ended
	}
	if err := s.await(addr, ended); err != nil {
		stop()
		return "", fmt.Errorf("%w (%v), having said:\n%s", err, cmd.ProcessState, &out)
	}
	tb.Cleanup(stop)
	return addr, nil
}

// interrupt asks a process to end, and kills it where that cannot be asked.
func interrupt(p *os.Process) error {
	if err := p.Signal(os.Interrupt); err == nil || errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return p.Kill()
}

func (s Server) await(addr string, ended <-chan struct{}) error {
	ready := s.Ready
	if ready == nil {
		ready = connects
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		err := ready(ctx, addr)
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			return errors.New("ended before it answered")
		case <-ctx.Done():
			return fmt.Errorf("no answer within %v: %w", patience, err)
		case <-time.After(pause): //nolint:forbidigo // another process has no clock of ours
		}
	}
}

func connects(ctx context.Context, addr string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return conn.Close()
}

func freeAddr(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
