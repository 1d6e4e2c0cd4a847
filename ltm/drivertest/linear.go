package drivertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/tea-agents/tea/ltm/driver"
)

// History says how Linearizable goes about it. The zero History is right for
// most.
type History struct {
	Operations int           // of each client; 0 is 1,000 when soaking, else 100
	Keys       int           // that they share; 0 is 8
	Patience   time.Duration // deadline of each operation; 0 is none
	// Meanwhile, if not nil, disturbs the store until ctx is over.
	Meanwhile func(ctx context.Context)
}

// Linearizable lets clients get, put, put on a condition and delete records at
// once, and checks that what they were told fits one order of all operations in
// which each takes place between its call and its return. Several clients may
// be the same store, or handles of several processes on the same data. An
// operation that fails may have taken place, then or any time later.
func Linearizable(t *testing.T, clients []driver.Store, h History) {
	t.Helper()
	seed := rand.Uint64()
	operations, err := h.record(t.Context(), clients, seed)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	switch porcupine.CheckOperationsTimeout(register(), operations, time.Minute) {
	case porcupine.Illegal:
		t.Errorf("seed %d: %d operations have no order that explains what they returned", seed, len(operations))
	case porcupine.Unknown:
		t.Errorf("seed %d: a minute was not enough to order %d operations", seed, len(operations))
	case porcupine.Ok:
		succeeded := 0
		for _, o := range operations {
			if o.Output.(told).known {
				succeeded++
			}
		}
		t.Logf("%d operations, %d of them with an answer", len(operations), succeeded)
		if succeeded < len(operations)/20 {
			t.Errorf("of %d operations only %d had an answer", len(operations), succeeded)
		}
	}
}

// kind is what an operation does.
type kind int

const (
	opGet kind = iota
	opPut
	opPutAbsent
	opPutRevision
	opDelete
	opDeleteRevision
)

// asked is the input of an operation. Every put has a value of its own, so that
// a revision is as good as the value that it had.
type asked struct {
	kind
	key, put string
	had      string // the value of the revision that is asked for
}

// told is what an operation returned.
type told struct {
	known   bool
	value   string // of a get; "" is none
	done    bool   // a condition held, or there was something to delete
	created bool
}

// register is one record as the contract describes it; its state is the value,
// "" when there is none.
func register() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			byKey := map[string][]porcupine.Operation{}
			for _, o := range history {
				key := o.Input.(asked).key
				byKey[key] = append(byKey[key], o)
			}
			var parts [][]porcupine.Operation
			for _, part := range byKey {
				parts = append(parts, part)
			}
			return parts
		},
		Init: func() any { return "" },
		Step: func(state, input, output any) (bool, any) {
			return step1(state.(string), input.(asked), output.(told))
		},
	}
}

// step1 tells whether an operation may return that in a state, and what the
// state is afterwards.
func step1(state string, in asked, out told) (bool, string) {
	holds, next := true, in.put
	switch in.kind {
	case opGet:
		return !out.known || out.value == state, state
	case opPut:
	case opPutAbsent:
		holds = state == ""
	case opPutRevision:
		holds = state == in.had
	case opDelete:
		holds, next = state != "", ""
	case opDeleteRevision:
		holds, next = state == in.had, ""
	}
	if !holds {
		return !out.known || !out.done, state
	}
	isPut := in.kind == opPut || in.kind == opPutAbsent || in.kind == opPutRevision
	fits := out.done && (!isPut || out.created == (state == ""))
	return !out.known || fits, next
}

// record makes the operations and returns what they were told.
func (h History) record(ctx context.Context, clients []driver.Store, seed uint64) ([]porcupine.Operation, error) {
	over, cancel := context.WithCancel(ctx)
	var disturbing sync.WaitGroup
	if h.Meanwhile != nil {
		disturbing.Go(func() { h.Meanwhile(over) })
	}
	each := cmp.Or(h.Operations, 100)
	if h.Operations == 0 && Soaking() {
		each = 1000
	}
	histories := make([][]porcupine.Operation, len(clients))
	keys := &keyring{names: make([]int, cmp.Or(h.Keys, 8)), doubts: make([]int, cmp.Or(h.Keys, 8))}
	start := time.Now()
	err := parallel(len(clients), func(i int) (err error) {
		c := client{Store: clients[i], id: i, h: h, start: start, keys: keys,
			dice: &dice{rand.New(rand.NewPCG(seed, uint64(i)))}, seen: map[string]driver.Record{}}
		for n := range each {
			if err := c.operate(ctx, n); err != nil {
				return err
			}
		}
		histories[i] = c.history
		return nil
	})
	cancel()
	disturbing.Wait()
	return slices.Concat(histories...), err
}

// keyring is the keys in use. One of which too much is in doubt gives way to a
// new one, for otherwise there are too many orders to try.
type keyring struct {
	mu     sync.Mutex
	names  []int // how many keys there were before, by slot
	doubts []int // writes without an answer
}

// maxDoubts is how many writes of a key go without an answer at most.
const maxDoubts = 5

func (r *keyring) name(slot int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprint(slot, ".", r.names[slot])
}

func (r *keyring) doubt(slot int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.doubts[slot]++; r.doubts[slot] == maxDoubts {
		r.names[slot]++
		r.doubts[slot] = 0
	}
}

// client makes one operation after another.
type client struct {
	driver.Store
	id      int
	h       History
	start   time.Time
	keys    *keyring
	dice    *dice
	seen    map[string]driver.Record // what it has read last
	history []porcupine.Operation
}

// operate makes a random operation and notes it.
func (c *client) operate(ctx context.Context, n int) error {
	slot := c.dice.IntN(len(c.keys.names))
	in := asked{kind: kind(c.dice.IntN(int(opDeleteRevision) + 1)), key: c.keys.name(slot)}
	seen, ok := c.seen[in.key]
	if !ok && (in.kind == opPutRevision || in.kind == opDeleteRevision) {
		in.kind = opGet
	}
	switch in.kind {
	case opPut, opPutAbsent, opPutRevision:
		in.put = fmt.Sprint(c.id, ".", n)
	}
	if in.kind == opPutRevision || in.kind == opDeleteRevision {
		in.had = string(seen.Value)
	}
	if c.h.Patience > 0 {
		limited, cancel := context.WithTimeout(ctx, c.h.Patience)
		defer cancel()
		ctx = limited
	}
	called := time.Since(c.start).Nanoseconds()
	out, err := c.call(ctx, in, seen.Revision)
	returned := time.Since(c.start).Nanoseconds()
	switch {
	case err == nil:
		out.known = true
	case !isAny(err, append(faultKinds(), context.Canceled)):
		return fmt.Errorf("an error that is none of a store: %w", err)
	case in.kind == opGet: // it says nothing
		return nil
	default:
		c.keys.doubt(slot)
		returned = math.MaxInt64
	}
	c.history = append(c.history, porcupine.Operation{ClientId: c.id, Input: in, Call: called, Output: out, Return: returned})
	return nil
}

// call makes an operation.
func (c *client) call(ctx context.Context, in asked, revision int64) (out told, err error) {
	key := cached("linear", in.key)
	switch in.kind {
	case opGet:
		r, err := c.Get(ctx, key)
		if errors.Is(err, driver.ErrNotFound) {
			return out, nil
		}
		if err == nil {
			c.seen[in.key] = r
		}
		return told{value: string(r.Value)}, err
	case opDelete, opDeleteRevision:
		if in.kind == opDelete {
			revision = 0
		}
		out.done, err = c.Delete(ctx, key, revision)
		return out, err
	}
	condition := driver.Condition{Absent: in.kind == opPutAbsent}
	if in.kind == opPutRevision {
		condition.Revision = revision
	}
	out.created, err = c.Put(ctx, rec(key, in.put), condition)
	out.done = err == nil
	if errors.Is(err, driver.ErrConflict) {
		err = nil
	}
	return out, err
}
