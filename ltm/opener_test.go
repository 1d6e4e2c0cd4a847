package ltm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// shop opens stores, as slowly and as badly as a test wants. It is not locked:
// only one attempt may be under way at a time.
type shop struct {
	takes  time.Duration
	deaf   bool // to the context
	err    error
	opened int
	store  *memltm.Store // the last one
}

func (s *shop) open(ctx context.Context) (driver.Store, error) {
	s.opened++
	if s.deaf {
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.err != nil {
		return nil, s.err
	}
	s.store = memltm.New()
	return s.store, nil
}

// lazy returns a memory on s, which it opens on first use, until the test ends.
func lazy(t *testing.T, s *shop) *ltm.Memory {
	t.Helper()
	m := unclosed(t, s)
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func unclosed(t *testing.T, s *shop) *ltm.Memory {
	t.Helper()
	mux := &ltm.Mux{}
	mux.Handle("shop", nil, func(*url.URL, *ltm.Options) (func(context.Context) (driver.Store, error), error) {
		return s.open, nil
	})
	m, err := mux.Lazy("shop://u:secret@h", nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestEveryCallOpensTheStore(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(context.Context, *ltm.Memory) error{
		"get": func(ctx context.Context, m *ltm.Memory) error { _, err := m.Get(ctx, "k"); return err },
		"put": func(ctx context.Context, m *ltm.Memory) error {
			_, err := m.Put(ctx, "k", value.Null(), nil)
			return err
		},
		"delete": func(ctx context.Context, m *ltm.Memory) error { _, err := m.Delete(ctx, "k"); return err },
		"touch":  func(ctx context.Context, m *ltm.Memory) error { return m.Touch(ctx, "k") },
		"search": func(ctx context.Context, m *ltm.Memory) error { _, err := m.Search(ctx, ltm.Query{}); return err },
		"text": func(ctx context.Context, m *ltm.Memory) error {
			_, err := m.Search(ctx, ltm.Query{Text: "a"})
			return err
		},
		"where": func(ctx context.Context, m *ltm.Memory) error {
			_, err := m.DeleteWhere(ctx, ltm.Query{}, nil)
			return err
		},
		"expire": func(ctx context.Context, m *ltm.Memory) error { _, err := m.DeleteExpired(ctx, 1); return err },
		"stats":  func(ctx context.Context, m *ltm.Memory) error { _, err := m.Stats(ctx); return err },
		"count":  func(ctx context.Context, m *ltm.Memory) error { _, err := m.Revision(ctx); return err },
		"ready":  func(ctx context.Context, m *ltm.Memory) error { return m.Ready(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &shop{}
				m := lazy(t, s)
				for range 2 {
					if err := call(t.Context(), m.In(driver.User, "n")); err != nil && !errors.Is(err, ltm.ErrNotFound) {
						t.Error(err)
					}
				}
				if s.opened != 1 {
					t.Errorf("opened %d times", s.opened)
				}
			})
			synctest.Test(t, func(t *testing.T) {
				m := lazy(t, &shop{err: io.ErrUnexpectedEOF})
				err := call(t.Context(), m)
				if !errors.Is(err, ltm.ErrUnavailable) || !errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "secret") {
					t.Errorf("got %v, want the reason", err)
				}
			})
		})
	}
}

func TestWhatNeedsNoStoreOpensNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{}
		m := lazy(t, s)
		if _, err := m.Get(t.Context(), ""); !errors.Is(err, ltm.ErrInvalid) {
			t.Error(err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.Get(gone, "k"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := m.Close(); err != nil || s.opened != 0 {
			t.Errorf("opened %d times, %v", s.opened, err)
		}
		if _, err := m.Get(t.Context(), "k"); !errors.Is(err, ltm.ErrClosed) || s.opened != 0 {
			t.Errorf("after Close: opened %d times, %v", s.opened, err)
		}
	})
}

func TestFirstUsesOpenOnce(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{nil, io.ErrUnexpectedEOF} {
		synctest.Test(t, func(t *testing.T) {
			s := &shop{takes: time.Second, err: failure}
			m := lazy(t, s)
			var wg sync.WaitGroup
			for i := range 50 {
				wg.Go(func() {
					if _, err := m.Put(t.Context(), fmt.Sprint(i), value.Null(), nil); !errors.Is(err, failure) {
						t.Errorf("got %v, want %v", err, failure)
					}
				})
			}
			wg.Wait()
			if s.opened != 1 {
				t.Errorf("opened %d times", s.opened)
			}
		})
	}
}

func TestACallLeavesTheOpeningToOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{takes: time.Second}
		m := lazy(t, s)
		hasty, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		start := time.Now()
		if _, err := m.Get(hasty, "k"); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 100*time.Millisecond {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		if _, err := m.Get(t.Context(), "k"); !errors.Is(err, ltm.ErrNotFound) || time.Since(start) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		if s.opened != 1 {
			t.Errorf("opened %d times", s.opened)
		}
	})
}

func TestAStoreThatComesUpLaterIsUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{err: io.ErrUnexpectedEOF}
		m := lazy(t, s)
		get := func(want error, opened int) {
			t.Helper()
			if _, err := m.Get(t.Context(), "k"); !errors.Is(err, want) || s.opened != opened {
				t.Errorf("%v and opened %d times, want %v and %d", err, s.opened, want, opened)
			}
		}
		get(io.ErrUnexpectedEOF, 1)
		s.err = nil
		time.Sleep(999 * time.Millisecond)
		get(io.ErrUnexpectedEOF, 1) // it is left alone for a second
		time.Sleep(time.Millisecond)
		if err := m.Ready(t.Context()); !errors.Is(err, io.ErrUnexpectedEOF) || s.opened != 1 {
			t.Errorf("Ready tried again: %v", err)
		}
		get(ltm.ErrNotFound, 2)
		if err := m.Ready(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestAStoreThatCanNeverBeIsTriedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{err: fmt.Errorf("%w: no such database", driver.ErrConfig)}
		m := lazy(t, s)
		for range 3 {
			_, err := m.Get(t.Context(), "k")
			if !errors.Is(err, ltm.ErrConfig) || errors.Is(err, ltm.ErrUnavailable) || s.opened != 1 {
				t.Errorf("got %v and opened %d times", err, s.opened)
			}
			time.Sleep(time.Hour)
		}
	})
}

func TestOpeningHasTenSeconds(t *testing.T) {
	t.Parallel()
	for _, deaf := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := &shop{takes: 15 * time.Second, deaf: deaf}
			m := lazy(t, s)
			start := time.Now()
			_, err := m.Get(t.Context(), "k")
			if !errors.Is(err, ltm.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 10*time.Second {
				t.Errorf("deaf %v: %v after %v", deaf, err, time.Since(start))
			}
			if _, err = m.Get(t.Context(), "k"); !errors.Is(err, ltm.ErrUnavailable) || time.Since(start) != 10*time.Second {
				t.Errorf("deaf %v: the next call: %v after %v", deaf, err, time.Since(start))
			}
			time.Sleep(6 * time.Second)
			synctest.Wait()
			s.takes = 0
			if _, err = m.Get(t.Context(), "k"); !errors.Is(err, ltm.ErrNotFound) {
				t.Errorf("deaf %v: when it answers at last: %v", deaf, err)
			}
		})
	}
}

func TestCloseWhileOpening(t *testing.T) {
	t.Parallel()
	for _, deaf := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := &shop{takes: 500 * time.Millisecond, deaf: deaf}
			m := lazy(t, s)
			var wg sync.WaitGroup
			wg.Go(func() {
				if _, err := m.Get(t.Context(), "k"); !errors.Is(err, ltm.ErrClosed) {
					t.Errorf("deaf %v: got %v", deaf, err)
				}
			})
			synctest.Wait()
			if err := m.Close(); err != nil {
				t.Error(err)
			}
			wg.Wait()
			if s.store == nil {
				return
			}
			if _, err := s.store.Get(t.Context(), driver.Key{Key: "k"}); !errors.Is(err, driver.ErrClosed) {
				t.Errorf("the store that opened too late is still open: %v", err)
			}
		})
	}
}

func TestCloseDoesNotWaitForever(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := unclosed(t, &shop{takes: time.Hour, deaf: true})
		if err := m.Ready(t.Context()); !errors.Is(err, ltm.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
		start := time.Now()
		if err := m.Close(); err == nil || time.Since(start) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		time.Sleep(time.Hour) // until it gives up
	})
}

func TestLazyChecksWhatTheURLTells(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, raw := range []string{
		"", "sqlte:a", "sqlite:", "sqlite:a/", "sqlite:a?synchronous=norml", "sqlite:a?busy_timeout=-1s",
		"sqlite:a?readonly=perhaps", "sqlite:a?bussy_timeout=1", "mem:?x=1",
	} {
		if _, err := builtin.Mux().Lazy(raw, nil); !errors.Is(err, ltm.ErrConfig) {
			t.Errorf("%q: %v", raw, err)
		}
	}
	path := filepath.Join(dir, "sub", "a.db")
	m, err := builtin.Mux().Lazy("sqlite://"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := os.ReadDir(dir); err != nil || len(found) != 0 {
		t.Errorf("there is %v, %v before the first use", found, err)
	}
	if _, err := m.Put(t.Context(), "k", value.Null(), nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
