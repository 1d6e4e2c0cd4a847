package llmcache_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type options = map[string]any

// bench is a cache on a store of its own, with a clock of its own.
type bench struct {
	*llmcache.Cache
	t     *testing.T
	store *ltmtest.Faulty
	mem   *ltm.Memory
	clock *ltmtest.Clock
	log   *ltmtest.Log
	calls atomic.Int64
}

func newBench(t *testing.T, change ...func(*llmcache.Options)) *bench {
	t.Helper()
	b := &bench{t: t, store: ltmtest.NewFaulty(), clock: ltmtest.NewClock(), log: &ltmtest.Log{}}
	b.on(ltm.New(b.store, &ltm.Options{Now: b.clock.Now}), change...)
	return b
}

// on makes a cache on mem, which the test closes. Stores and writers in the
// background have all the time that a busy machine may need.
func (b *bench) on(mem *ltm.Memory, change ...func(*llmcache.Options)) {
	b.t.Helper()
	o := &llmcache.Options{
		Log:        slog.New(slog.NewTextHandler(b.log, nil)),
		FlushEvery: time.Hour, LookupTimeout: time.Hour, StoreTimeout: time.Hour,
	}
	for _, f := range change {
		f(o)
	}
	b.mem, b.Cache = mem, llmcache.New(mem, o)
	c := b.Cache
	b.t.Cleanup(func() {
		c.Close()
		mem.Close()
	})
}

// onFile is a bench on an SQLite file.
func onFile(t *testing.T, file string, change ...func(*llmcache.Options)) *bench {
	t.Helper()
	b := &bench{t: t, clock: ltmtest.NewClock(), log: &ltmtest.Log{}}
	mem, err := builtin.Mux().Open(t.Context(), "sqlite://"+file, &ltm.Options{Now: b.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	b.on(mem, change...)
	return b
}

// stores are the benches that what is stored is tested on.
func stores(t *testing.T) map[string]*bench {
	t.Helper()
	return map[string]*bench{"memory": newBench(t), "sqlite": onFile(t, filepath.Join(t.TempDir(), "llm.db"))}
}

// chat is a request.
func chat(identity any) llmcache.Request {
	return llmcache.Request{Provider: "openai", Model: "gpt-4o", Identity: value.Must(identity)}
}

// answer makes a call that counts itself, of 10 tokens that cost 0.5 dollars.
func (b *bench) answer(context.Context) (llmcache.Response, error) {
	n := b.calls.Add(1)
	return llmcache.Response{
		Result:  value.Object(value.M("content", value.String("hello")), value.M("n", value.Int(n))),
		Raw:     []byte(`{"choices": [{"n": 1.0}]}` + "\n"),
		Usage:   value.Must(options{"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}),
		CostUSD: 0.5, Priced: true,
	}, nil
}

// do serves a call that must not fail.
func (b *bench) do(req llmcache.Request, m llmcache.Mode) (llmcache.Response, llmcache.Outcome) {
	b.t.Helper()
	r, o, err := b.Wrap(b.t.Context(), req, m, b.answer)
	if err != nil {
		b.t.Fatal(err)
	}
	return r, o
}

// want serves a call and checks its status.
func (b *bench) want(status cache.Status, req llmcache.Request, m llmcache.Mode) llmcache.Outcome {
	b.t.Helper()
	_, o := b.do(req, m)
	if o.Status != status {
		b.t.Errorf("%s (%s), want %s", o.Status, o.Reason, status)
	}
	return o
}

// stored puts an answer under the key of a request and returns the key.
func (b *bench) stored(identity any) string {
	b.t.Helper()
	return b.want(cache.Refreshed, chat(identity), llmcache.Write).Key
}

// hit serves n hits of a request.
func (b *bench) hit(identity any, n int) {
	b.t.Helper()
	for range n {
		b.want(cache.Hit, chat(identity), llmcache.Both)
	}
}

// inspect returns an entry that must be there.
func (b *bench) inspect(key string) *llmcache.Entry {
	b.t.Helper()
	e, err := b.Inspect(b.t.Context(), key)
	if err != nil || e == nil {
		b.t.Fatalf("entry %s: %v %v", key, e, err)
	}
	return e
}

// keys returns the keys of all entries.
func (b *bench) keys() map[string]bool {
	b.t.Helper()
	infos, err := b.List(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, i := range infos {
		keys[i.Key] = true
	}
	return keys
}

// put stores in a view of the bench's store, as another program might.
func (b *bench) put(namespace, key string, v value.Value) {
	b.t.Helper()
	if _, err := b.mem.In(driver.LLM, namespace).Put(b.t.Context(), key, v, nil); err != nil {
		b.t.Fatal(err)
	}
}

var errBroken = errors.New("the model is away")
