package pgserver

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tea-agents/tea/internal/testserver"
)

const (
	install  = "apt-get install postgresql"
	patience = 30 * time.Second // for the first answer, and for the end
	pause    = 10 * time.Millisecond
	attempts = 3 // another process may take the port that was free
)

// Server is a running server with the user tea, who may do everything and needs
// no password. Its methods are for the test's own goroutine.
type Server struct {
	bin, dir, port string
	settings       []string
	cmd            *exec.Cmd
	ended          chan struct{}
	said           bytes.Buffer // for who waited until it ended
	schemas        atomic.Int64
}

// Start runs a server until the test ends. It doesn't wait for the disk unless
// the settings, each name=value, have fsync=on.
func Start(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	s := &Server{bin: find(tb), settings: append([]string{"fsync=off", "max_connections=200"}, settings...)}
	var err error
	if s.dir, err = os.MkdirTemp("", "tea-postgres-"); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(s.dir) }) // the system clears it else
	if err := own(s.dir); err != nil {
		tb.Fatal(err)
	}
	init := s.command("initdb", "--pgdata="+s.data(), "--username=tea", "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync")
	if out, err := init.CombinedOutput(); err != nil {
		tb.Fatalf("initdb: %v\n%s", err, out)
	}
	tb.Cleanup(s.stop)
	for range attempts {
		if s.port, err = freePort(tb.Context()); err == nil {
			err = s.run(tb.Context())
		}
		if err == nil {
			return s
		}
	}
	tb.Fatalf("postgres: %v", err)
	return nil
}

// find returns the directory of the server's programs. Debian has them beside
// the PATH.
func find(tb testing.TB) string {
	tb.Helper()
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // the pattern is well formed
	if len(found) > 0 {
		return filepath.Dir(slices.Max(found))
	}
	return filepath.Dir(testserver.Need(tb, "postgres", install))
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...) //nolint:gosec,noctx // stop ends it
	cmd.Dir, cmd.SysProcAttr = s.dir, attributes()
	return cmd
}

// run starts the server and waits until it answers.
func (s *Server) run(ctx context.Context) error {
	args := []string{"-D", s.data(), "-p", s.port, "-k", s.dir, "-c", "listen_addresses=127.0.0.1"}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	s.cmd, s.ended = s.command("postgres", args...), make(chan struct{})
	s.said.Reset()
	s.cmd.Stdout, s.cmd.Stderr = &s.said, &s.said
	if err := s.cmd.Start(); err != nil {
		close(s.ended)
		return err
	}
	go func(cmd *exec.Cmd, ended chan struct{}) {
		_ = cmd.Wait() // its state tells
		close(ended)
	}(s.cmd, s.ended)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := s.exec(ctx, "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return fmt.Errorf("it ended before it answered, having said:\n%s", &s.said)
		case <-ctx.Done():
			return err
		case <-time.After(pause): //nolint:forbidigo // another process has no clock of ours
		}
	}
}

func (s *Server) stop() {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	_ = s.cmd.Process.Signal(os.Interrupt) // it may have ended
	select {
	case <-s.ended:
	case <-time.After(patience): //nolint:forbidigo // as above
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
}

// Kill ends the server at once, as a crash would: none of its processes gets to
// write anything any more.
func (s *Server) Kill(tb testing.TB) {
	tb.Helper()
	children := children(s.cmd.Process.Pid)
	if err := s.cmd.Process.Kill(); err != nil {
		tb.Fatal(err)
	}
	for _, pid := range children {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended
		}
	}
	<-s.ended
}

// Restart starts a server that ended, on its old port, and waits until it
// answers.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	limit, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	for {
		err := s.run(limit)
		if err == nil {
			return
		}
		s.stop()
		if limit.Err() != nil { // processes of the old one may take their time to end
			tb.Fatalf("postgres does not start again: %v", err)
		}
	}
}

// Addr returns the server's address, host:port.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", s.port) }

// URL returns the URL of the database at addr, which is that of the server or of
// a proxy before it, with parameters (a=b&c=d).
func (s *Server) URL(addr, params string) string {
	return "postgres://tea@" + addr + "/postgres?sslmode=disable&" + params
}

// Schema returns the name of a schema that is not there yet.
func (s *Server) Schema() string { return fmt.Sprint("Test ", s.schemas.Add(1)) }

// Exec runs a statement.
func (s *Server) Exec(tb testing.TB, sql string) {
	tb.Helper()
	if err := s.exec(tb.Context(), sql); err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
}

func (s *Server) exec(ctx context.Context, sql string) (err error) {
	c, err := pgx.Connect(ctx, s.URL(s.Addr(), ""))
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(ctx) }() // the statement is done
	_, err = c.Exec(ctx, sql)
	return err
}

func freePort(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return "", err
	}
	return port, l.Close()
}
