package duckdbltm_test

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

	"github.com/tea-agents/tea/ltm/driver"
)

const nobody = 65534

// fillUp puts until there is no room, which the largest size of a file stands
// for, and then goes on with more room.
func fillUp(raw string) (err error) {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	s, err := openRaw(ctx, raw)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	limit := syscall.Rlimit{}
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	small := limit
	small.Cur = 4 << 20
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		return err
	}
	stored := 0
	for {
		_, err := s.Put(ctx, record(fmt.Sprint(stored), strings.Repeat("word ", 20000)), driver.Condition{})
		if err != nil && !errors.Is(err, driver.ErrFull) {
			return fmt.Errorf("a full disk is %w", err)
		}
		if err != nil {
			break
		}
		if stored++; stored > 1000 {
			return errors.New("the disk never got full")
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if _, err := s.Put(ctx, record("after", "v"), driver.Condition{}); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	for i := range stored {
		if _, err := s.Get(ctx, driver.Key{Key: fmt.Sprint(i)}); err != nil {
			return fmt.Errorf("%d of %d: %w", i, stored, err)
		}
	}
	return nil
}

func TestAFullDiskIsSaidAndLosesNothing(t *testing.T) {
	t.Parallel()
	runChild(t, child(t, "full", "duckdb://"+filepath.Join(t.TempDir(), "a.duckdb")))
}

// onlyRead reads a file that it may not write to.
func onlyRead(raw string) (err error) {
	ctx := context.Background()
	s, err := openRaw(ctx, raw)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.Get(ctx, driver.Key{Key: "k"}); err != nil {
		return err
	}
	if _, err := s.Put(ctx, record("k", "v"), driver.Condition{}); !errors.Is(err, driver.ErrReadOnly) {
		return fmt.Errorf("Put returns %w", err)
	}
	return nil
}

func TestAFileThatMayNotBeWrittenCanBeRead(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "tea")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "a.duckdb")
	s := openURL(t, "duckdb://"+path)
	if _, err := s.Put(t.Context(), record("k", "v"), driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{path: 0o444, dir: 0o755} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	cmd := child(t, "only read", "duckdb://"+path)
	if os.Getuid() == 0 { // who may write to everything
		program := filepath.Join(dir, "program") // its own folder is closed to others
		if out, err := exec.Command("cp", os.Args[0], program).CombinedOutput(); err != nil {
			t.Skip(string(out))
		}
		cmd.Path, cmd.Dir = program, dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	} else if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	runChild(t, cmd)
}
