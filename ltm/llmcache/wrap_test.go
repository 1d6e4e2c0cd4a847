package llmcache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/value"
)

// same tells whether two answers are, to the byte, the same.
func same(a, b llmcache.Response) bool {
	return value.Equal(a.Result, b.Result) && bytes.Equal(a.Raw, b.Raw) && (a.Raw == nil) == (b.Raw == nil) &&
		value.Equal(a.Usage, b.Usage) && a.CostUSD == b.CostUSD && a.Priced == b.Priced &&
		(a.Chunks == nil) == (b.Chunks == nil) && slices.EqualFunc(a.Chunks, b.Chunks, func(c, d llmcache.Chunk) bool {
		return c.After == d.After && value.Equal(c.Data, d.Data)
	})
}

func TestHitIsTheAnswerByteForByte(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		want := llmcache.Response{
			Result: value.Must(options{
				"content": rapid.String().Draw(t, "content"), "int": rapid.Int64().Draw(t, "int"), "float": rapid.Float64().Draw(t, "float"),
			}),
			Usage:   value.Object(value.M("total_tokens", value.Int(int64(rapid.Uint32().Draw(t, "tokens"))))),
			CostUSD: 0.25, Priced: rapid.Bool().Draw(t, "priced"),
		}
		if !want.Priced {
			want.CostUSD = 0
		}
		if rapid.Bool().Draw(t, "has raw") {
			want.Raw = rapid.SliceOf(rapid.Byte()).Draw(t, "raw")
		}
		if rapid.Bool().Draw(t, "streamed") {
			want.Chunks = []llmcache.Chunk{}
			for i := range rapid.IntRange(0, 3).Draw(t, "chunks") {
				text := value.Object(value.M("text", value.String(rapid.String().Draw(t, "chunk"))))
				want.Chunks = append(want.Chunks, llmcache.Chunk{Data: text, After: time.Duration(i) * 1234567})
			}
		}
		call := func(context.Context) (llmcache.Response, error) { return want, nil }
		for i, status := range []cache.Status{cache.Miss, cache.Hit} {
			r, o, err := b.Wrap(context.Background(), chat(options{"n": n}), llmcache.Both, call)
			if err != nil || o.Status != status || !same(r, want) {
				t.Fatalf("%d: %+v %v\n%+v, want\n%+v", i, o, err, r, want)
			}
		}
	})
}

func TestRawBytesAreExact(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		for i, raw := range [][]byte{nil, {}, []byte("\n"), []byte("{\"a\": 1.0}\r\n"), {0, 0xff, 0xfe}, []byte("a\u2028\x00")} {
			req := chat(options{"n": i})
			call := func(context.Context) (llmcache.Response, error) { return llmcache.Response{Raw: raw}, nil }
			for range 2 {
				r, _, err := b.Wrap(t.Context(), req, llmcache.Both, call)
				if err != nil || !bytes.Equal(r.Raw, raw) || (r.Raw == nil) != (raw == nil) {
					t.Errorf("%s: %q, want %q: %v", name, r.Raw, raw, err)
				}
			}
		}
	}
}

func TestWhatIsReturnedIsTheCallers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range 3 {
		r, _ := b.do(chat(options{}), llmcache.Both)
		if !bytes.HasPrefix(r.Raw, []byte("{")) {
			t.Fatalf("somebody else's change is in it: %s", r.Raw)
		}
		clear(r.Raw)
	}
}

func TestOutcomeOfAHit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	req := chat(options{"prompt": "hi"})
	slow := func(ctx context.Context) (llmcache.Response, error) {
		b.clock.Add(1500 * time.Microsecond)
		return b.answer(ctx)
	}
	created := b.clock.Now()
	_, miss, err := b.Wrap(t.Context(), req, llmcache.Both, slow)
	want, _ := llmcache.Key(req.Identity)
	if err != nil || miss.Key != want || !miss.Stored || miss.Reason != "not_found" {
		t.Errorf("miss: %+v %v", miss, err)
	}
	b.clock.Add(time.Hour)
	hit := b.want(cache.Hit, req, llmcache.Both)
	if hit.Key != want || hit.Saved != 1500*time.Microsecond || hit.CreatedAt.Sub(created).Truncate(time.Millisecond) != time.Millisecond || hit.Stored {
		t.Errorf("hit: %+v", hit)
	}
}

func TestOnlyWholeSuccessesAreStored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	for name, tt := range map[string]struct {
		ctx  context.Context
		call func(context.Context) (llmcache.Response, error)
	}{
		"an error": {t.Context(), func(context.Context) (llmcache.Response, error) {
			return llmcache.Response{Result: value.String("half")}, errBroken
		}},
		"success: false": {t.Context(), func(context.Context) (llmcache.Response, error) {
			return llmcache.Response{Result: value.Must(options{"success": false})}, nil
		}},
		"an error in the result": {t.Context(), func(context.Context) (llmcache.Response, error) {
			return llmcache.Response{Result: value.Must(options{"error": "overloaded"})}, nil
		}},
		"cancelled": {ctx, func(ctx context.Context) (llmcache.Response, error) {
			cancel()
			<-ctx.Done()
			return b.answer(ctx)
		}},
		"not JSON": {t.Context(), func(context.Context) (llmcache.Response, error) {
			return llmcache.Response{Result: value.Float(math.NaN())}, nil
		}},
	} {
		_, o, _ := b.Wrap(tt.ctx, chat(options{"name": name}), llmcache.Both, tt.call)
		if o.Stored {
			t.Errorf("%s: %+v", name, o)
		}
		if e, err := b.Get(t.Context(), o.Key); o.Key != "" && (e != nil || err != nil) {
			t.Errorf("%s is stored: %+v %v", name, e, err)
		}
	}
	if n := len(b.keys()); n != 0 {
		t.Errorf("%d entries", n)
	}
}

func TestTooLargeAnswersAreNotStored(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(o *llmcache.Options) { o.MaxEntryBytes = 200 })
	large := func(context.Context) (llmcache.Response, error) {
		return llmcache.Response{Result: value.String(string(make([]byte, 300)))}, nil
	}
	_, o, err := b.Wrap(t.Context(), chat(options{}), llmcache.Both, large)
	if err != nil || o.Stored || o.Status != cache.Miss {
		t.Errorf("%+v %v", o, err)
	}
	r, _ := large(t.Context())
	if err := b.Put(t.Context(), o.Key, llmcache.Entry{Response: r}); err == nil {
		t.Error("Put stored it")
	}
}

func TestEqualCallsShareOneExecution(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	begun, release := make(chan struct{}), make(chan struct{})
	var calls, misses, hits atomic.Int64
	call := func(ctx context.Context) (llmcache.Response, error) {
		if calls.Add(1) == 1 {
			close(begun)
		}
		<-release
		return b.answer(ctx)
	}
	var callers sync.WaitGroup
	serve := func() {
		r, o, err := b.Wrap(t.Context(), chat(options{"prompt": "hi"}), llmcache.Both, call)
		if err != nil || r.Result.At("content").Text() != "hello" {
			t.Errorf("%v %v", r.Result, err)
		}
		if o.Status == cache.Hit {
			hits.Add(1)
		} else {
			misses.Add(1)
		}
	}
	callers.Go(serve)
	<-begun
	for range 20 {
		callers.Go(serve)
	}
	close(release)
	callers.Wait()
	if calls.Load() != 1 || misses.Load() < 1 || misses.Load()+hits.Load() != 21 {
		t.Errorf("%d calls, %d misses, %d hits", calls.Load(), misses.Load(), hits.Load())
	}
	if e, _ := b.Inspect(t.Context(), slices.Collect(maps.Keys(b.keys()))[0]); e.Request.At("prompt").Text() != "hi" {
		t.Errorf("the request is %v", e.Request)
	}
}

func TestSamplesAreIndependent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i := range 3 {
		b.want(cache.Miss, chat(options{"prompt": "hi", "sample": i}), llmcache.Both)
	}
	for i := range 3 {
		r, o := b.do(chat(options{"prompt": "hi", "sample": i}), llmcache.Both)
		if n, _ := r.Result.At("n").AsInt(); o.Status != cache.Hit || n != int64(i+1) {
			t.Errorf("sample %d: answer %d, %+v", i, n, o)
		}
	}
}

func TestFailingStoreFailsNoCall(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{ltm.ErrUnavailable, ltm.ErrReadOnly, ltm.ErrFull, errBroken} {
		b := newBench(t)
		b.stored(options{"prompt": "hi"})
		b.store.Fail(failure)
		for i := range 10 {
			req := chat(options{"prompt": "hi"})
			if i%2 == 0 {
				req = secretly("s")
			}
			if o := b.want(cache.Error, req, llmcache.Both); o.Reason == "" {
				t.Errorf("%v: no reason", failure)
			}
		}
		if n := b.log.Warnings(); n != 1 {
			t.Errorf("%v: %d warnings", failure, n)
		}
		if b.calls.Load() != 11 {
			t.Errorf("%v: %d calls", failure, b.calls.Load())
		}
		b.store.Fail(nil)
	}
}

func TestWithoutAMemory(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Cache = llmcache.New(nil, nil)
	b.want(cache.Error, chat(options{"prompt": "hi"}), llmcache.Both)
	b.want(cache.Error, secretly("s"), llmcache.Both)
	o := b.want(cache.Bypass, chat(options{"prompt": "hi"}), llmcache.Off)
	key, _ := llmcache.Key(value.Must(options{}))
	_, get := b.Get(t.Context(), key)
	_, list := b.List(t.Context())
	_, stats := b.Stats(t.Context())
	for _, err := range []error{get, list, stats, b.Pin(t.Context(), key, true)} {
		if !errors.Is(err, cache.ErrNoMemory) {
			t.Errorf("%v, %+v", err, o)
		}
	}
	if err := b.Put(t.Context(), key, llmcache.Entry{}); !errors.Is(err, cache.ErrStore) {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestDamagedEntryIsAMissAndGone(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(o *llmcache.Options) { o.MemoryBytes = -1 })
	key := b.stored(options{"prompt": "hi"})
	b.store.Corrupt.Store(true)
	if e, err := b.Get(t.Context(), key); e != nil || err != nil {
		t.Errorf("%+v %v", e, err)
	}
	b.store.Corrupt.Store(false)
	if e, err := b.Get(t.Context(), key); e != nil || err != nil {
		t.Errorf("it is still there: %+v %v", e, err)
	}
	b.stored(options{"prompt": "hi"})
	b.store.Corrupt.Store(true)
	b.want(cache.Miss, chat(options{"prompt": "hi"}), llmcache.Both)
	b.store.Corrupt.Store(false)
	b.want(cache.Hit, chat(options{"prompt": "hi"}), llmcache.Both)
}

func TestForeignEntryIsNone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	key := b.stored(options{"prompt": "hi"})
	b.put("", "custom:"+key, value.String("not an answer"))
	if e, err := b.Get(t.Context(), key); e != nil || err != nil {
		t.Errorf("%+v %v", e, err)
	}
	b.want(cache.Miss, chat(options{"prompt": "hi"}), llmcache.Both)
	b.want(cache.Hit, chat(options{"prompt": "hi"}), llmcache.Both)
}

func TestPanicsGoOn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	defer func() {
		if p := recover(); p != "boom" {
			t.Errorf("recovered %v", p)
		}
		b.want(cache.Miss, chat(options{}), llmcache.Both)
	}()
	b.Wrap(t.Context(), chat(options{}), llmcache.Both, func(context.Context) (llmcache.Response, error) { panic("boom") })
}

func TestPutThenGet(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		key, _ := llmcache.Key(value.Must(options{"prompt": "hi"}))
		r, _ := b.answer(t.Context())
		r.Chunks = []llmcache.Chunk{{Data: value.Must(options{"text": "hel"}), After: time.Millisecond}, {Data: value.Must(options{"text": "lo"}), After: 2 * time.Second}}
		want := llmcache.Entry{
			Key: key, Provider: "openai", Model: "gpt-4o", Request: value.Must(options{"prompt": "hi"}),
			Response: r, Duration: 1234567, Usefulness: llmcache.Usefulness{CachedAt: b.clock.Now()},
		}
		if e, err := b.Get(t.Context(), key); e != nil || err != nil {
			t.Errorf("%s: before: %+v %v", name, e, err)
		}
		if err := b.Put(t.Context(), key, want); err != nil {
			t.Fatal(err)
		}
		got := b.inspect(key)
		if !same(got.Response, want.Response) || !value.Equal(got.Request, want.Request) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		e, w := *got, want
		e.Response, w.Response, e.Request, w.Request = llmcache.Response{}, llmcache.Response{}, value.Null(), value.Null()
		if !reflect.DeepEqual(e, w) {
			t.Errorf("%s: %+v, want %+v", name, e, w)
		}
		b.want(cache.Hit, chat(options{"prompt": "hi"}), llmcache.Read)
		if gone, err := b.Delete(t.Context(), key); !gone || err != nil {
			t.Errorf("%s: %v %v", name, gone, err)
		}
		if e, err := b.Inspect(t.Context(), key); e != nil || err != nil {
			t.Errorf("%s: after: %+v %v", name, e, err)
		}
		if gone, err := b.Delete(t.Context(), key); gone || err != nil {
			t.Errorf("%s: twice: %v %v", name, gone, err)
		}
	}
}

func TestEntriesAreNobodyElses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.stored(options{"prompt": "needle"})
	page, err := b.mem.Search(t.Context(), ltm.Query{Text: "needle"})
	if err != nil || len(page.Entries) != 0 {
		t.Errorf("ltm.search: %v %v", page.Entries, err)
	}
	actions := cache.New(b.mem, nil)
	defer actions.Close()
	for e, err := range actions.List(t.Context(), cache.Selector{Namespace: cache.AllNamespaces}) {
		t.Errorf("tea cache ls: %v %v", e, err)
	}
}

func TestManyCallersAtOnce(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		var callers sync.WaitGroup
		var hits atomic.Int64
		for g := range 8 {
			callers.Go(func() {
				for i := range 50 {
					req := chat(options{"prompt": fmt.Sprint((g + i) % 10)})
					r, o, err := b.Wrap(t.Context(), req, llmcache.Both, func(context.Context) (llmcache.Response, error) {
						return llmcache.Response{Result: req.Identity}, nil
					})
					if err != nil || !value.Equal(r.Result, req.Identity) {
						t.Errorf("%s: %v %v", name, r.Result, err)
					}
					if o.Status == cache.Hit {
						hits.Add(1)
					}
				}
			})
		}
		callers.Wait()
		s, err := b.Stats(t.Context())
		if err != nil || s.TotalEntries != 10 || s.Ever.Lookups != 400 || s.Ever.Hits != hits.Load() {
			t.Errorf("%s: %+v %v, %d hits", name, s, err, hits.Load())
		}
	}
}
