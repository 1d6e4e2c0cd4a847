package blobsqliteltm

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

	"github.com/tea-agents/tea/internal/blob/blobtest"
	"github.com/tea-agents/tea/ltm/driver"
)

// step is an operation on a key; each value is put once, and names a revision.
type step struct{ op, key, value, has string }

// seen is what came of a step.
type seen struct {
	unknown bool
	ok      bool
	value   string
}

// registers is a model of the store: every key holds a value, "" for none.
func registers() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
			byKey := map[string][]porcupine.Operation{}
			for _, o := range history {
				k := o.Input.(step).key
				byKey[k] = append(byKey[k], o)
			}
			for _, part := range byKey {
				parts = append(parts, part)
			}
			return parts
		},
		Init: func() []any { return []any{""} },
		Step: func(state, input, output any) []any {
			s, in, out := state.(string), input.(step), output.(seen)
			next, ok := s, true
			switch in.op {
			case "get":
				if out.unknown || out.value == s {
					return []any{s}
				}
				return nil
			case "delete":
				next, ok = "", s != ""
			case "absent":
				ok = s == ""
			case "swap":
				ok = s == in.has
			}
			if ok && in.op != "delete" {
				next = in.value
			}
			switch {
			case out.unknown:
				return []any{s, next}
			case out.ok != ok:
				return nil
			}
			return []any{next}
		},
		Equal: func(a, b any) bool { return a == b },
	}
	return m.ToModel()
}

// perform does a random step on s and returns it.
func perform(ctx context.Context, s driver.Store, id string, read map[string]driver.Record) (step, seen) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	in := step{op: []string{"get", "get", "put", "absent", "swap", "swap", "delete"}[rand.IntN(7)],
		key: fmt.Sprint("k", rand.IntN(8)), value: id}
	last, ok := read[in.key]
	if in.op == "swap" && !ok {
		in.op = "get"
	}
	r := rec(in.key, in.value)
	var err error
	var out seen
	switch in.op {
	case "get":
		var got driver.Record
		if got, err = s.Get(ctx, key(in.key)); err == nil {
			read[in.key], out.value = got, string(got.Value)
		}
		if errors.Is(err, driver.ErrNotFound) {
			err = nil
		}
	case "delete":
		out.ok, err = s.Delete(ctx, key(in.key), 0)
	default:
		c := driver.Condition{Absent: in.op == "absent"}
		if in.op == "swap" {
			in.has, c.Revision = string(last.Value), last.Revision
		}
		_, err = s.Put(ctx, r, c)
		if out.ok = err == nil; errors.Is(err, driver.ErrConflict) {
			err = nil
		}
	}
	out.unknown = err != nil
	return in, out
}

// linear lets 8 clients, each with a store of its own, do steps, and checks
// whether there is an order that explains what they saw.
func linear(t *testing.T, raw string, steps int, disturb func(n int)) {
	t.Helper()
	began := time.Now()
	histories := make([][]porcupine.Operation, 8)
	var wg sync.WaitGroup
	for c := range histories {
		s := openURL(t, raw)
		wg.Go(func() {
			read := map[string]driver.Record{}
			for n := range steps {
				if c == 0 {
					disturb(n)
				}
				call := time.Since(began).Nanoseconds()
				in, out := perform(t.Context(), s, fmt.Sprint(c, ".", n), read)
				end := time.Since(began).Nanoseconds()
				if out.unknown {
					end = math.MaxInt64
				}
				histories[c] = append(histories[c], porcupine.Operation{ClientId: c, Input: in, Call: call, Output: out, Return: end})
			}
		})
	}
	wg.Wait()
	var all []porcupine.Operation
	unknown := 0
	for _, h := range histories {
		all = append(all, h...)
	}
	for _, o := range all {
		if o.Output.(seen).unknown {
			unknown++
		}
	}
	if got := porcupine.CheckOperationsTimeout(registers(), all, time.Minute); got != porcupine.Ok {
		t.Errorf("the history is %v", got)
	}
	t.Logf("%d operations, %d of unknown outcome, %v", len(all), unknown, time.Since(began).Round(time.Millisecond))
}

func TestLinearizable(t *testing.T) {
	t.Parallel()
	steps := soak(1000)
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		linear(t, with(schemePrefix+blobtest.S3(t).URI("k.db"), "max_staleness=0"), steps, func(int) {})
	})
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		linear(t, "blob-sqlite+file://"+t.TempDir()+"/k.db?max_staleness=0", steps, func(int) {})
	})
	t.Run("s3 with resets", func(t *testing.T) {
		t.Parallel()
		n, raw := newNetwork(t)
		reset := n.fault("", "reset_peer", "downstream", `"timeout":0`)
		linear(t, with(raw, "max_staleness=0"), steps, func(i int) {
			if i%10 == 5 {
				end := reset.Begin(t)
				time.Sleep(30 * time.Millisecond)
				end()
			}
		})
	})
}
