package bucketltm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
)

func TestPutsAtOnceAreFewPushes(t *testing.T) {
	t.Parallel()
	p := &proxy{Object: newMemory(t)}
	s := openOn(t, p, "")
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if _, err := s.Put(t.Context(), rec(fmt.Sprint(i), "v"), driver.Condition{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := p.puts.Load(); n > 20 {
		t.Errorf("100 puts were %d pushes", n)
	}
	if n := count(t, openOn(t, p.Object, "")); n != 100 {
		t.Errorf("%d of 100 are in the bucket", n)
	}
}

// TestLoserMeetsItsConditionsAgain has another writer push between a change's
// base and its push.
func TestLoserMeetsItsConditionsAgain(t *testing.T) {
	t.Parallel()
	o := newMemory(t)
	other := openOn(t, o, "")
	put(t, other, "k", "first")
	once := sync.Once{}
	p := &proxy{Object: o, before: func(_ context.Context, op string) error {
		if op == "put" {
			once.Do(func() { put(t, other, "k", "theirs"); put(t, other, "theirs", "v") })
		}
		return nil
	}}
	s := openOn(t, p, "")
	old, err := s.Get(t.Context(), key("k"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := s.Put(t.Context(), rec("k", "mine"), driver.Condition{Revision: old.Revision})
		if !errors.Is(err, driver.ErrConflict) {
			t.Errorf("a put over another's: %v", err)
		}
	})
	wg.Go(func() { put(t, s, "mine", "v") })
	wg.Wait()
	for name, text := range map[string]string{"k": "theirs", "theirs": "v", "mine": "v"} {
		want(t, s, name, text)
	}
}

// TestLostAnswers has pushes arrive of which the answer is lost: each change is
// made once.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	p := &proxy{Object: newMemory(t), after: func(string) error {
		if n.Add(1)%2 == 1 {
			return errors.New("reset")
		}
		return nil
	}}
	s := openOn(t, p, "")
	for i := range 10 {
		created, err := s.Put(t.Context(), rec(fmt.Sprint(i), "v"), driver.Condition{Absent: true})
		if !created || err != nil {
			t.Errorf("%v, %v", created, err)
		}
	}
	if r, err := s.Revision(t.Context()); r != 10 || err != nil {
		t.Errorf("revision %d, %v", r, err)
	}
	if got := p.puts.Load(); got != 10 {
		t.Errorf("%d pushes", got)
	}
}

// TestLostAnswerThenAnotherWriter loses the answer, and another writer pushes on
// top before this one looks.
func TestLostAnswerThenAnotherWriter(t *testing.T) {
	t.Parallel()
	o := newMemory(t)
	other := openOn(t, o, "")
	once := sync.Once{}
	p := &proxy{Object: o, after: func(string) (err error) {
		once.Do(func() { put(t, other, "theirs", "v"); err = errors.New("reset") })
		return err
	}}
	s := openOn(t, p, "")
	if created, err := s.Put(t.Context(), rec("k", "v"), driver.Condition{Absent: true}); !created || err != nil {
		t.Errorf("%v, %v", created, err)
	}
	if r, err := s.Revision(t.Context()); r != 2 || err != nil {
		t.Errorf("revision %d, %v", r, err)
	}
}

func TestChangesOfNothingAreNoPush(t *testing.T) {
	t.Parallel()
	p := &proxy{Object: newMemory(t)}
	s := openOn(t, p, "")
	if ok, err := s.Delete(t.Context(), key("none"), 0); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	if err := s.Touch(t.Context(), []driver.Key{key("none")}, 5); err != nil {
		t.Error(err)
	}
	if n := p.puts.Load(); n != 0 {
		t.Errorf("%d pushes", n)
	}
}

// TestFailuresAreNotOnlyOld asks for what another writer has just made possible.
func TestFailuresAreNotOnlyOld(t *testing.T) {
	t.Parallel()
	o := newMemory(t)
	a, b := openOn(t, o, "max_staleness=1h"), openOn(t, o, "max_staleness=1h")
	put(t, a, "k", "v")
	if ok, err := b.Delete(t.Context(), key("k"), 0); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	if created, err := a.Put(t.Context(), rec("k", "v"), driver.Condition{Absent: true}); !created || err != nil {
		t.Errorf("%v, %v", created, err)
	}
}

// TestStaleness reads what another writer changes, by a clock of the test's.
func TestStaleness(t *testing.T) {
	t.Parallel()
	o := newMemory(t)
	writer := openOn(t, o, "")
	put(t, writer, "k", "1")
	p := &proxy{Object: o}
	s := openOn(t, p, "max_staleness=5s")
	var now atomic.Int64
	s.clock.now = func() time.Time { return time.Unix(now.Load(), 0) }
	s.checked = s.clock.now()
	asked := p.gets.Load()
	put(t, writer, "k", "2")
	now.Store(4)
	want(t, s, "k", "1")
	if p.gets.Load() != asked {
		t.Error("it asked before the time")
	}
	now.Store(5)
	want(t, s, "k", "2")
	want(t, s, "k", "2")
	if got := p.gets.Load() - asked; got != 1 {
		t.Errorf("it asked %d times", got)
	}
}

func TestNoStalenessAsksAtEveryRead(t *testing.T) {
	t.Parallel()
	p := &proxy{Object: newMemory(t)}
	s := openOn(t, p, "max_staleness=0")
	asked := p.gets.Load()
	put(t, s, "k", "v")
	for range 3 {
		want(t, s, "k", "v")
	}
	if got := p.gets.Load() - asked; got != 3 {
		t.Errorf("3 reads asked %d times", got)
	}
}

// TestDeniedPutIsReadOnly: reading goes on.
func TestDeniedPutIsReadOnly(t *testing.T) {
	t.Parallel()
	o := newMemory(t)
	put(t, openOn(t, o, ""), "k", "v")
	s := openOn(t, &proxy{Object: o, before: func(_ context.Context, op string) error {
		if op == "put" {
			return object.ErrDenied
		}
		return nil
	}}, "")
	if _, err := s.Put(t.Context(), rec("k", "w"), driver.Condition{}); !errors.Is(err, driver.ErrReadOnly) {
		t.Errorf("%v", err)
	}
	want(t, s, "k", "v")
	ro := openOn(t, o, "readonly=true")
	if _, err := ro.Put(t.Context(), rec("k", "w"), driver.Condition{}); !errors.Is(err, driver.ErrReadOnly) {
		t.Errorf("%v", err)
	}
	want(t, ro, "k", "v")
}
