package postgresltm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver/pgserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/postgresltm"
)

// ledger is what was acknowledged.
type ledger struct {
	mu      sync.Mutex
	put     map[driver.Key]bool
	deleted map[driver.Key]bool // of those put
}

// work puts and deletes until the store fails.
func (l *ledger) work(ctx context.Context, s *postgresltm.Store, who string) {
	for i := 0; ; i++ {
		key := driver.Key{Space: driver.Space(i % 2), Namespace: who, Key: fmt.Sprint(i)}
		_, err := s.Put(ctx, driver.Record{Key: key, Value: []byte(who), Metadata: []byte(`{"a":1}`), UpdatedAt: 1, Terms: ""}, driver.Condition{})
		if err != nil {
			return
		}
		l.mu.Lock()
		l.put[key] = true
		l.mu.Unlock()
		if i%5 != 4 {
			continue
		}
		l.mu.Lock()
		delete(l.put, key) // from now on it may be there or not
		l.mu.Unlock()
		if _, err := s.Delete(ctx, key, 0); err != nil {
			return
		}
		l.mu.Lock()
		l.deleted[key] = true
		l.mu.Unlock()
	}
}

// check checks that everything in the ledger is true.
func (l *ledger) check(t *testing.T, s *postgresltm.Store) {
	t.Helper()
	highest := int64(0)
	there := map[driver.Key]bool{}
	for _, space := range []driver.Space{0, 1} {
		for r, err := range driver.All(t.Context(), s, driver.Query{Space: space}) {
			if err != nil {
				t.Fatal(err)
			}
			there[r.Key] = string(r.Value) == r.Key.Namespace
			highest = max(highest, r.Revision)
		}
	}
	for key := range l.put {
		if !there[key] {
			t.Errorf("%v was acknowledged and is lost", key)
		}
	}
	for key := range l.deleted {
		if _, ok := there[key]; ok {
			t.Errorf("%v was deleted and is back", key)
		}
	}
	if n, err := s.Revision(t.Context()); err != nil || n < highest {
		t.Errorf("the change counter is %d, %v; a record has %d", n, err, highest)
	}
}

func TestNothingAcknowledgedIsLostInCrashes(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t, "fsync=on")
	s := openURL(t, fresh(server))
	l := &ledger{put: map[driver.Key]bool{}, deleted: map[driver.Key]bool{}}
	for crash := range soak(100) {
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() { l.work(t.Context(), s, fmt.Sprint(crash, ".", i)) })
		}
		time.Sleep(time.Duration(10+rand.IntN(150)) * time.Millisecond)
		server.Kill(t)
		wg.Wait()
		server.Restart(t)
		l.check(t, s)
	}
	if len(l.put) < soak(100) {
		t.Errorf("only %d puts were acknowledged", len(l.put))
	}
	t.Logf("%d crashes, %d puts and %d deletes acknowledged", soak(100), len(l.put), len(l.deleted))
}
