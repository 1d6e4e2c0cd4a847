package postgresltm_test

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

	"github.com/tea-agents/tea/internal/testserver/pgserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/postgresltm"
)

// act is an operation on one key. Every value is put once at most, so that a
// revision is as good as the value that was read with it.
type act struct {
	key       int
	kind      string // get, put, absent, revision, delete
	value     string
	condition string // the value of the revision that is asked for
}

// answer is what came of an act.
type answer struct {
	unknown bool
	value   string // "" is nothing
	ok      bool   // created, or stored, or deleted
}

// states returns what may be under the key after an act, given what was there
// before; none when the answer cannot be.
func states(before string, a act, got answer) []any {
	after, ok := before, false
	switch a.kind {
	case "get":
		if !got.unknown && got.value != before {
			return nil
		}
		return []any{before}
	case "put":
		after, ok = a.value, before == ""
	case "absent":
		if before == "" {
			after, ok = a.value, true
		}
	case "revision":
		if before == a.condition {
			after, ok = a.value, true
		}
	case "delete":
		after, ok = "", before != ""
	}
	switch {
	case got.unknown:
		return []any{before, after}
	case got.ok != ok:
		return nil
	default:
		return []any{after}
	}
}

func model() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			byKey := map[int][]porcupine.Operation{}
			for _, op := range history {
				byKey[op.Input.(act).key] = append(byKey[op.Input.(act).key], op)
			}
			var all [][]porcupine.Operation
			for _, ops := range byKey {
				all = append(all, ops)
			}
			return all
		},
		Init: func() []any { return []any{""} },
		Step: func(state, input, output any) []any {
			return states(state.(string), input.(act), output.(answer))
		},
		Equal: func(a, b any) bool { return a == b },
	}
	return m.ToModel()
}

// client acts at random and writes down what it saw.
type client struct {
	id      int
	store   *postgresltm.Store
	last    map[int]driver.Record // what it read last
	history []porcupine.Operation
}

func (c *client) act(ctx context.Context, n int) {
	a := act{key: rand.IntN(16), kind: []string{"get", "get", "put", "absent", "revision", "revision", "delete"}[rand.IntN(7)]}
	a.value = fmt.Sprint(c.id, ".", n)
	if a.kind == "revision" {
		r, ok := c.last[a.key]
		if !ok {
			a.kind = "get"
		}
		a.condition = string(r.Value)
	}
	start := time.Since(epoch).Nanoseconds()
	got := c.do(ctx, a)
	end := time.Since(epoch).Nanoseconds()
	if got.unknown {
		end = math.MaxInt64
	}
	c.history = append(c.history, porcupine.Operation{ClientId: c.id, Input: a, Call: start, Output: got, Return: end})
}

var epoch = time.Now()

func (c *client) do(ctx context.Context, a act) answer {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	key := driver.Key{Namespace: "n", Key: fmt.Sprint(a.key)}
	condition := driver.Condition{Absent: a.kind == "absent"}
	switch a.kind {
	case "get":
		r, err := c.store.Get(ctx, key)
		if errors.Is(err, driver.ErrNotFound) {
			return answer{}
		}
		if err == nil {
			c.last[a.key] = r
		}
		return answer{unknown: err != nil, value: string(r.Value)}
	case "delete":
		ok, err := c.store.Delete(ctx, key, 0)
		return answer{unknown: err != nil, ok: ok}
	case "revision":
		condition.Revision = c.last[a.key].Revision
	}
	created, err := c.store.Put(ctx, driver.Record{Key: key, Value: []byte(a.value), Metadata: []byte("{}"), UpdatedAt: 1}, condition)
	switch {
	case errors.Is(err, driver.ErrConflict):
		return answer{}
	case err != nil:
		return answer{unknown: true}
	}
	return answer{ok: created || a.kind == "revision"}
}

// isLinear lets 8 clients act and checks their history.
func isLinear(t *testing.T, url string, acts int, between func(n int)) {
	t.Helper()
	var wg sync.WaitGroup
	clients := make([]*client, 8)
	for i := range clients {
		clients[i] = &client{id: i, store: openURL(t, url), last: map[int]driver.Record{}}
	}
	for i := range clients {
		wg.Go(func() {
			for n := range acts {
				if i == 0 {
					between(n)
				}
				clients[i].act(t.Context(), n)
			}
		})
	}
	wg.Wait()
	var history []porcupine.Operation
	unknown := 0
	for _, c := range clients {
		history = append(history, c.history...)
		for _, op := range c.history {
			if op.Output.(answer).unknown {
				unknown++
			}
		}
	}
	if got := porcupine.CheckOperationsTimeout(model(), history, time.Minute); got != porcupine.Ok {
		t.Errorf("the history of %d operations, %d of them of unknown end, is %s", len(history), unknown, got)
	}
	t.Logf("%d operations, %d of unknown end", len(history), unknown)
}

func TestHistoriesAreLinearizable(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t)
	t.Run("without faults", func(t *testing.T) {
		t.Parallel()
		isLinear(t, fresh(server), soak(1000), func(int) {})
	})
	t.Run("with faults", func(t *testing.T) {
		t.Parallel()
		n := newNetwork(t, server.Addr())
		reset := n.fault("", `"type":"reset_peer","stream":"downstream","attributes":{"timeout":0}`)
		url := server.URL(n.Listen, "schema=linear&max_conns=2")
		isLinear(t, url, soak(1000), func(i int) {
			if i%25 == 10 {
				end := reset.Begin(t)
				time.Sleep(5 * time.Millisecond)
				end()
			}
		})
	})
}
