package llmcache_test

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
	"github.com/tea-agents/tea/ltm/llmcache"
)

func TestDamagedCountsDoNotHideTheEntries(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "llm.db")
	b := onFile(t, file)
	for i := range 3 {
		b.stored(options{"n": i})
		b.hit(options{"n": i}, 1)
	}
	if err := b.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	damage(t, file, "marks", b.stored(options{"n": 1}))
	damage(t, file, "days", "2026-02-22")
	infos, err := b.List(t.Context())
	if err != nil || len(infos) != 3 {
		t.Fatalf("%+v %v", infos, err)
	}
	var hits int64
	for _, i := range infos {
		hits += i.HitCount
		if i.Model != "gpt-4o" {
			t.Errorf("%+v", i)
		}
	}
	if s, err := b.Stats(t.Context()); hits != 2 || err != nil || s.Ever.Hits != 0 {
		t.Errorf("%d hits, %+v %v", hits, s.Ever, err)
	}
}

// damage changes a byte of a record in an SQLite file.
func damage(t *testing.T, file, namespace, key string) {
	t.Helper()
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: file}).String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const flip = `UPDATE entries SET value = CAST(substr(value, 1, length(value) - 1) || x'00' AS BLOB) WHERE space = 4 AND namespace = ? AND key = ?`
	r, err := db.ExecContext(t.Context(), flip, namespace, key)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.RowsAffected(); n != 1 || err != nil {
		t.Fatalf("%d records damaged: %v", n, err)
	}
}

func TestMemoryThatCanNeverBeOpenedFailsTheCall(t *testing.T) {
	t.Parallel()
	var mux ltm.Mux
	mux.Handle("never", nil, func(*url.URL, *ltm.Options) (func(context.Context) (driver.Store, error), error) {
		return func(context.Context) (driver.Store, error) { return nil, ltm.ErrConfig }, nil
	})
	mem, err := mux.Lazy("never:x", nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, log: &ltmtest.Log{}}
	b.on(mem)
	for _, req := range []llmcache.Request{chat(options{}), secretly("s")} {
		if _, o, err := b.Wrap(t.Context(), req, llmcache.Both, b.answer); !errors.Is(err, ltm.ErrConfig) || o.Status != cache.Error {
			t.Errorf("%+v %v", o, err)
		}
	}
	if n := b.calls.Load(); n != 0 {
		t.Errorf("%d calls", n)
	}
}

func TestCloseDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := ltmtest.NewFaulty()
		mem := ltm.New(store, nil)
		b := &bench{t: t, mem: mem, log: &ltmtest.Log{}, Cache: llmcache.New(mem, nil)}
		b.stored(options{})
		store.Hangs.Store(true)
		began := time.Now()
		err := b.Close()
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "counts") || took > 3*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
		close(store.Release)
		synctest.Wait()
		if err := mem.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestBackgroundWarnsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(o *llmcache.Options) { o.FlushEvery = time.Second })
		b.stored(options{})
		away := ltm.ErrUnavailable
		b.store.Fail(away)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := b.log.Warnings(); n != 1 {
			t.Errorf("%d warnings", n)
		}
		b.store.Fail(nil)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		s, err := b.Stats(t.Context())
		if err != nil || s.ByModel[0].Model != "gpt-4o" {
			t.Errorf("%+v %v", s, err)
		}
		if err := errors.Join(b.Close(), b.mem.Close()); err != nil {
			t.Error(err)
		}
	})
}
