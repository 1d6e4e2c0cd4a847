package libsqlltm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/tea-agents/tea/ltm/driver"
)

// input is an operation on a key. Each put has a value of its own, so that a
// revision and its value stand for each other.
type input struct {
	key, op  string // get, put, absent, swap, delete
	value    string // to put
	expected string // to be there, by swap
}

type output struct {
	unknown bool // it may have happened, or happen later
	value   string
	done    bool // created, swapped, deleted
}

// register is what one key promises: its state is the value, "" for none.
var register = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byKey := map[string][]porcupine.Operation{}
		for _, op := range history {
			k := op.Input.(input).key
			byKey[k] = append(byKey[k], op)
		}
		var parts [][]porcupine.Operation
		for _, part := range byKey {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return "" },
	Step: func(state, in, out any) (bool, any) {
		old, i, o := state.(string), in.(input), out.(output)
		want, next := output{}, old
		switch i.op {
		case "get":
			want.value = old
		case "put":
			want.done, next = old == "", i.value
		case "absent":
			if want.done = old == ""; want.done {
				next = i.value
			}
		case "swap":
			if want.done = old == i.expected; want.done {
				next = i.value
			}
		case "delete":
			want.done, next = old != "", ""
		}
		return o.unknown || o == want, next
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v: %+v", in, out) },
}

// Conditional puts are linearizable, also where the network breaks meanwhile.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	server := one(t)
	for _, broken := range []bool{false, true} {
		t.Run(fmt.Sprint("faults=", broken), func(t *testing.T) {
			t.Parallel()
			raw := server
			if broken {
				var n *network
				n, raw = behind(t, server)
				defer n.shake(t)()
			}
			h := history{prefix: fmt.Sprint(broken, " "), began: time.Now()}
			var wg sync.WaitGroup
			for client := range 8 {
				s := patient(t, raw)
				wg.Go(func() { h.run(t.Context(), client, s, often(1000)) })
			}
			wg.Wait()
			verdict := porcupine.CheckOperationsTimeout(register, h.ops, time.Minute)
			t.Logf("%d operations, %d with an unknown end: %s", len(h.ops), h.unknown, verdict)
			if verdict != porcupine.Ok {
				t.Error("the history is not linearizable")
			}
			if broken != (h.unknown > 0) {
				t.Errorf("%d calls failed", h.unknown)
			}
		})
	}
}

// patient opens a store through a network that may be broken for the moment.
func patient(t *testing.T, raw string) driver.Store {
	t.Helper()
	for {
		s, err := tryOpen(t.Context(), raw)
		if err == nil {
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}

// shake breaks the network again and again.
func (n *network) shake(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			time.Sleep(30 * time.Millisecond)
			mend := n.breaks(t, faults[[]string{"reset", "half-open", "cut"}[rand.IntN(3)]]...)
			time.Sleep(5 * time.Millisecond)
			mend()
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}

type history struct {
	prefix string
	began  time.Time

	mu      sync.Mutex
	ops     []porcupine.Operation
	unknown int
}

// run makes n operations, one after another.
func (h *history) run(ctx context.Context, client int, s driver.Store, n int) {
	seen := map[string]driver.Record{} // by key, at the last get
	for i := range n {
		in := input{
			key: h.prefix + fmt.Sprint(rand.IntN(3)), value: fmt.Sprint(client, ".", i),
			op: []string{"get", "put", "absent", "swap", "swap", "delete"}[rand.IntN(6)],
		}
		if in.op == "swap" {
			if in.expected = string(seen[in.key].Value); in.expected == "" {
				in.op = "get"
			}
		}
		op := porcupine.Operation{ClientId: client, Input: in, Call: int64(time.Since(h.began))}
		out := h.do(ctx, s, in, seen)
		op.Output, op.Return = out, int64(time.Since(h.began))
		if out.unknown {
			op.Return = math.MaxInt64
		}
		h.mu.Lock()
		if out.unknown {
			h.unknown++
		}
		if !out.unknown || in.op != "get" {
			h.ops = append(h.ops, op)
		}
		h.mu.Unlock()
	}
}

func (h *history) do(ctx context.Context, s driver.Store, in input, seen map[string]driver.Record) output {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	r := driver.Record{Key: key(in.key), Value: []byte(in.value), Metadata: []byte("{}"), UpdatedAt: 1}
	var out output
	var err error
	switch in.op {
	case "get":
		r, err = s.Get(ctx, key(in.key))
		seen[in.key] = r
		out.value = string(r.Value)
	case "put":
		out.done, err = s.Put(ctx, r, driver.Condition{})
	case "absent":
		out.done, err = s.Put(ctx, r, driver.Condition{Absent: true})
	case "swap":
		_, err = s.Put(ctx, r, driver.Condition{Revision: seen[in.key].Revision})
		out.done = err == nil
	case "delete":
		out.done, err = s.Delete(ctx, key(in.key), 0)
	}
	if err != nil && !errors.Is(err, driver.ErrConflict) && !errors.Is(err, driver.ErrNotFound) {
		return output{unknown: true}
	}
	return out
}
