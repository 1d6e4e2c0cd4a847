package cache_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
	"github.com/tea-agents/tea/value"
)

// TestMain lets the test binary be one of many processes.
func TestMain(m *testing.M) {
	if url := os.Getenv(childVariable); url != "" {
		if err := child(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// bench is a cache on a store of its own, with a clock of its own.
type bench struct {
	*cache.Cache
	t     *testing.T
	store *ltmtest.Faulty
	mem   *ltm.Memory
	clock *ltmtest.Clock
	log   *ltmtest.Log
	runs  atomic.Int64
}

// patient lets a store take all the time that a busy machine may need.
func patient(o *cache.Options) { o.LookupTimeout, o.StoreTimeout = time.Hour, time.Hour }

// punctual has the deadlines that a program has.
func punctual(o *cache.Options) { o.LookupTimeout, o.StoreTimeout = 0, 0 }

func newBench(t *testing.T, change ...func(*cache.Options)) *bench {
	t.Helper()
	b := &bench{t: t, store: ltmtest.NewFaulty(), clock: ltmtest.NewClock(), log: &ltmtest.Log{}}
	b.mem = ltm.New(b.store, &ltm.Options{Now: b.clock.Now})
	o := &cache.Options{
		Rand:    func() float64 { return 0.999 },
		Entropy: strings.NewReader(strings.Repeat("0123456789abcdef", 8)),
		Log:     slog.New(slog.NewTextHandler(b.log, nil)),
		Known:   known,
	}
	patient(o)
	for _, f := range change {
		f(o)
	}
	b.Cache = cache.New(b.mem, o)
	t.Cleanup(func() {
		b.Close()
		b.mem.Close()
	})
	return b
}

// request is a call of http.get with the given arguments.
func request(args any) cache.Request {
	return cache.Request{Action: "http.get", Version: 1, Args: value.Must(args), Namespace: "me"}
}

// answer makes a run that counts itself and returns a result with its number.
func (b *bench) answer(context.Context) (value.Value, error) {
	return value.Object(value.M("n", value.Int(b.runs.Add(1)))), nil
}

// do serves a call that must not fail.
func (b *bench) do(req cache.Request, p cache.Policy) (value.Value, cache.Outcome) {
	b.t.Helper()
	v, o, err := b.Do(b.t.Context(), req, p, b.answer)
	if err != nil {
		b.t.Fatal(err)
	}
	return v, o
}

// want serves a call and checks its status and reason.
func (b *bench) want(status cache.Status, reason string, req cache.Request, p cache.Policy) cache.Outcome {
	b.t.Helper()
	_, o := b.do(req, p)
	if o.Status != status || !strings.HasPrefix(o.Reason, reason) {
		b.t.Errorf("%s (%s), want %s (%s)", o.Status, o.Reason, status, reason)
	}
	return o
}
