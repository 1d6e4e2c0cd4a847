package filelock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/blob/filelock"
)

func TestOneLocksAloneOrManyTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	open := func(try func(*os.File) (bool, error)) *os.File {
		t.Helper()
		f, err := filelock.TryOpen(path, try)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	alone := open(filelock.TryLock)
	if alone == nil || open(filelock.TryLock) != nil || open(filelock.TryShare) != nil {
		t.Fatal("a file that is locked alone is locked by another one")
	}
	alone.Close()
	a, b := open(filelock.TryShare), open(filelock.TryShare)
	if a == nil || b == nil || open(filelock.TryLock) != nil {
		t.Fatal("a file that is shared is not shared")
	}
	a.Close()
	if open(filelock.TryLock) != nil {
		t.Error("one that is still shared is locked alone")
	}
	b.Close()
	if f := open(filelock.TryLock); f == nil {
		t.Error("a lock outlives its file")
	} else {
		f.Close()
	}
}

func TestOpenWaitsUntilTheLockIsFree(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	held, err := filelock.TryOpen(path, filelock.TryLock)
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	tired := errors.New("tired")
	giveUp := func(context.Context, time.Duration) error { return tired }
	if f, err := filelock.Open(t.Context(), path, filelock.TryShare, giveUp); f != nil || !errors.Is(err, tired) {
		t.Errorf("got %v, %v", f, err)
	}
	release := func(context.Context, time.Duration) error { return held.Close() }
	f, err := filelock.Open(t.Context(), path, filelock.TryShare, release)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if f, err := filelock.Open(t.Context(), filepath.Join(path, "no folder"), filelock.TryLock, giveUp); err == nil {
		t.Errorf("got %v", f)
	}
}
