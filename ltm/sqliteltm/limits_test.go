//go:build linux

package sqliteltm_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// What a child process of the tests does with the file in childArg.
const (
	childTask = "TEA_TEST_SQLITE_TASK"
	childArg  = "TEA_TEST_SQLITE_ARG"
	nobody    = 65534
)

// child runs a task in a process of its own.
func child(t *testing.T, program, task, path string, as *syscall.SysProcAttr) {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), childTask+"="+task, childArg+"="+path)
	cmd.SysProcAttr = as
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// childTasks are run by TestMain.
func childTasks() map[string]func(path string) error {
	return map[string]func(string) error{"full": fillUp, "read-only": onlyRead}
}

// fillUp puts until there is no room, which the largest size of a file stands
// for, and then goes on with more room.
func fillUp(path string) (err error) {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	m, err := builtin.Mux().Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	limit := syscall.Rlimit{}
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	small := limit
	small.Cur = 1 << 20
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		return err
	}
	stored := 0
	for _, space := range []driver.Space{driver.User, driver.Cache} {
		for i := 0; ; i++ {
			_, err := m.In(space, "").Put(ctx, fmt.Sprint(i), value.String(strings.Repeat("word ", 2000)), nil)
			if err != nil && !errors.Is(err, ltm.ErrFull) {
				return fmt.Errorf("a full disk is %w", err)
			}
			if err != nil {
				break
			}
			if stored++; stored > 1000 {
				return errors.New("the disk never got full")
			}
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if _, err := m.Put(ctx, "after", value.Null(), nil); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	found := 0
	for _, space := range []driver.Space{driver.User, driver.Cache} {
		for _, err := range m.In(space, "").All(ctx, ltm.Query{}) {
			if err != nil {
				return err
			}
			found++
		}
	}
	if found != stored+1 {
		return fmt.Errorf("%d entries were stored, %d are there", stored+1, found)
	}
	return nil
}

// onlyRead reads a file that it may not write to.
func onlyRead(path string) (err error) {
	ctx := context.Background()
	m, err := builtin.Mux().Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if _, err := m.Get(ctx, "k"); err != nil {
		return err
	}
	for _, space := range []driver.Space{driver.User, driver.Cache} {
		_, err := m.In(space, "").Put(ctx, "k", value.Null(), nil)
		if err == nil {
			return errors.New("it was written to")
		}
		if !errors.Is(err, ltm.ErrReadOnly) {
			return fmt.Errorf("not ErrReadOnly: %w", err)
		}
	}
	return nil
}

func TestAFullDiskIsSaidAndLosesNothing(t *testing.T) {
	t.Parallel()
	child(t, os.Args[0], "full", filepath.Join(t.TempDir(), "a.db"), nil)
}

func TestAFileThatMayNotBeWrittenCanBeRead(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "tea")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "a.db")
	m, err := builtin.Mux().Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Put(t.Context(), "k", value.Null(), nil); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{path: 0o444, dir: 0o755} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	var as *syscall.SysProcAttr
	program := os.Args[0]
	if os.Getuid() == 0 { // who may write to everything
		as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		program = filepath.Join(dir, "program") // its own folder is closed to others
		if err := os.Link(os.Args[0], program); err != nil {
			t.Skip(err)
		}
	} else if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	child(t, program, "read-only", path, as)
}
