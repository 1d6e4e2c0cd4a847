package tests

import (
	"fmt"
	"testing"
	"time"

	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/internal/testserver"
	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/internal/testserver/pgserver"
	"github.com/tea-agents/tea/value"
)

// An outage is something that befalls a store until end is called.
type outage struct {
	name  string
	begin func(t *testing.T) (end func())
}

// outages are the faults of a network.
func outages(n *badnet.Network) []outage {
	var all []outage
	for _, f := range badnet.Faults() {
		all = append(all, outage{string(f), func(t *testing.T) func() { t.Helper(); return n.Break(t, f) }})
	}
	return all
}

// TestProofOutagesNeverFailAnAction: while its store is away, by whatever fault,
// a cached step runs, in its time and the lookup's; when it is back, what was
// stored before is there.
func TestProofOutagesNeverFailAnAction(t *testing.T) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		server := pgserver.Start(t, "fsync=on")
		n := badnet.New(t, server.Addr())
		killed := outage{"killed", func(t *testing.T) func() {
			t.Helper()
			server.Kill(t)
			return func() { server.Restart(t) }
		}}
		proveOutages(t, server.URL(n.Addr(), ""), append(outages(n), killed))
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		addr := testserver.Start(t, testserver.Redis())
		n := badnet.New(t, addr)
		proveOutages(t, "redis://"+n.Addr(), outages(n))
	})
}

const outageAgent = `
name: steadfast
nodes:
  - {name: work, run: 'return {"n": state["n"] * 2}', cache: {key: "n-{{ state.n }}"}, output: result}
`

// outagePatience is how long a run may take: the lookup's 250 ms and the store's, and
// as much again, and more, for a machine that does other things.
const outagePatience = 2 * time.Second

func proveOutages(t *testing.T, url string, all []outage) {
	t.Helper()
	var longest time.Duration
	for i, o := range all {
		e := newEngine(t, func(o *engine.Options) { o.LTM = url })
		kept := int64(1000 * (i + 1))
		if err := doubled(t, e, kept); err != nil {
			t.Fatal(err)
		}
		end := o.begin(t)
		for n := range int64(6) { // more than it takes the breaker to open
			begun := time.Now()
			if err := doubled(t, e, kept+n); err != nil {
				t.Errorf("%s: %v", o.name, err)
			}
			took := time.Since(begun)
			longest = max(longest, took)
			if took > outagePatience {
				t.Errorf("%s: a run took %v", o.name, took)
			}
		}
		end()
		if !isKept(t, url, kept) {
			t.Errorf("%s: what was stored before is gone", o.name)
		}
	}
	t.Logf("%d outages; the longest run took %v", len(all), longest.Round(time.Millisecond))
}

// doubled runs the agent on n and returns what is wrong with the result.
func doubled(t *testing.T, e *engine.Engine, n int64) error {
	t.Helper()
	r, err := outcome(t, e, n)
	if err != nil {
		return err
	}
	if got, _ := r.State.At("result", "n").AsInt(); got != 2*n {
		return fmt.Errorf("twice %d is %v", n, r.State)
	}
	return nil
}

func outcome(t *testing.T, e *engine.Engine, n int64) (engine.Result, error) {
	t.Helper()
	run, err := e.Start(t.Context(), loaded(t, e, outageAgent), value.Object(value.M("n", value.Int(n))), nil)
	if err != nil {
		return engine.Result{}, err
	}
	return run.Wait()
}

// isKept tells whether a fresh engine finds the result of n, which it may need a
// moment for.
func isKept(t *testing.T, url string, n int64) bool {
	t.Helper()
	for range 20 {
		e := newEngine(t, func(o *engine.Options) { o.LTM, o.Cache = url, "require" })
		if err := doubled(t, e, n); err == nil {
			return true
		}
		time.Sleep(250 * time.Millisecond)
	}
	return false
}
