package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

const (
	// scratchTTL is when what the checks store expires.
	scratchTTL = 10 * time.Minute
	// rivals is how many calls compete where only one may win.
	rivals = 8
	// bearableSkew is by how much clocks may differ unnoticed.
	bearableSkew = time.Second
	// slowness is the time of a get from which on the cache gives up waiting.
	slowness = cache.DefaultLookupTimeout
)

func (e *examination) put(ctx context.Context, key string, v value.Value) error {
	_, err := e.m.Put(ctx, key, v, &ltm.PutOptions{TTL: scratchTTL, Metadata: value.Object(value.M("from", value.String("doctor")))})
	return err
}

func (e *examination) connect(ctx context.Context) (finding, error) {
	begin := e.m.Now()
	if err := e.m.Ready(ctx); err != nil {
		return finding{}, err
	}
	return good("open within %v", rounded(e.m.Now().Sub(begin))), nil
}

func (e *examination) format(ctx context.Context) (finding, error) {
	f, err := e.m.Inspect(ctx)
	switch {
	case err != nil && !errors.Is(err, errors.ErrUnsupported):
		return finding{}, err
	case err != nil || f.Format == 0:
		return good("the store tells no version; this program reads what is there"), nil
	case f.Format < f.Newest:
		return finding{Warn, fmt.Sprintf("%s, format %d; this program writes %d", f.Product, f.Format, f.Newest),
			"open it once with the right to write"}, nil
	}
	return good("%s, format %d", f.Product, f.Format), nil
}

func (e *examination) clock(ctx context.Context) (finding, error) {
	begin := e.m.Now()
	f, err := e.m.Inspect(ctx)
	took := e.m.Now().Sub(begin)
	switch {
	case err != nil && !errors.Is(err, errors.ErrUnsupported):
		return finding{}, err
	case err != nil || f.Time == 0:
		return good("the store tells no time of its own"), nil
	}
	skew := time.UnixMilli(f.Time).Sub(begin.Add(took / 2))
	says := fmt.Sprintf("the store's clock is %v from this one (± %v)", rounded(skew), rounded(took/2))
	const mend = "synchronize the clocks of both machines"
	switch away := skew.Abs() - took/2; {
	case away > ltm.DefaultLeaseTTL:
		return finding{Fail, says + ": leases cannot be relied upon", mend}, nil
	case away > bearableSkew:
		return finding{Warn, says + ": entries expire too early or too late", mend}, nil
	}
	return good("%s", says), nil
}

// readOf reads from a store to which nothing can be written.
func (e *examination) readOf(ctx context.Context) (finding, error) {
	if _, err := e.m.Get(ctx, "nothing"); err != nil && !errors.Is(err, ltm.ErrNotFound) {
		return finding{}, err
	}
	return good("allowed"), nil
}

const scratchKey = "scratch"

func scratchValue() value.Value { return value.Must([]any{1, 1.0, "ü\x00", nil}) }

func (e *examination) write(ctx context.Context) (finding, error) {
	return good("allowed"), e.put(ctx, scratchKey, scratchValue())
}

func (e *examination) read(ctx context.Context) (finding, error) {
	got, err := e.m.Get(ctx, scratchKey)
	if err == nil && !value.Equal(got.Value, scratchValue()) {
		err = fmt.Errorf("%w: a value reads back as another one", ltm.ErrCorrupt)
	}
	return good("allowed; what was written reads back"), err
}

func (e *examination) remove(ctx context.Context) (finding, error) {
	deleted, err := e.m.Delete(ctx, scratchKey)
	if err != nil {
		return finding{}, err
	}
	_, err = e.m.Get(ctx, scratchKey)
	if !deleted || !errors.Is(err, ltm.ErrNotFound) {
		return finding{}, errors.New("an entry is still there after it was deleted")
	}
	return good("allowed"), nil
}

// compete makes calls at the same time, of which one must win.
func (e *examination) compete(try func(i int) (won bool, err error)) (finding, error) {
	var wins atomic.Int32
	var group sync.WaitGroup
	errs := make([]error, rivals)
	for i := range rivals {
		group.Go(func() {
			won, err := try(i)
			if won {
				wins.Add(1)
			}
			errs[i] = err
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return finding{}, err
	}
	if n := wins.Load(); n != 1 {
		return finding{Fail, fmt.Sprintf("%d of %d rivals won, not 1", n, rivals), "choose another store: leases do not work on this one"}, nil
	}
	return good("of %d rivals 1 won", rivals), nil
}

func (e *examination) ifAbsent(ctx context.Context) (finding, error) {
	return e.compete(func(i int) (bool, error) {
		return e.m.Put(ctx, "absent", value.Int(int64(i)), &ltm.PutOptions{TTL: scratchTTL, IfAbsent: true})
	})
}

func (e *examination) ifRevision(ctx context.Context) (finding, error) {
	if err := e.put(ctx, "unchanged", value.Null()); err != nil {
		return finding{}, err
	}
	entry, err := e.m.Get(ctx, "unchanged")
	if err != nil {
		return finding{}, err
	}
	return e.compete(func(i int) (bool, error) {
		_, err := e.m.Put(ctx, "unchanged", value.Int(int64(i)), &ltm.PutOptions{TTL: scratchTTL, IfRevision: entry.Revision})
		if errors.Is(err, ltm.ErrConflict) {
			return false, nil
		}
		return err == nil, err
	})
}

func (e *examination) lease(ctx context.Context) (finding, error) {
	options := &ltm.LeaseOptions{Owner: "tea ltm doctor"}
	held, err := e.m.Contend("lease", options).Try(ctx)
	if err != nil {
		return finding{}, err
	}
	_, second := e.m.Contend("lease", options).Try(ctx)
	renewed := held.Renew(ctx)
	released := held.Release(ctx)
	if err := errors.Join(renewed, released); err != nil {
		return finding{}, err
	}
	if !errors.Is(second, ltm.ErrHeld) {
		return finding{}, fmt.Errorf("a lease that is held was given again: %w", errors.Join(second, errors.New("no refusal")))
	}
	return good("taken, held, renewed, released"), nil
}

func (e *examination) search(ctx context.Context) (finding, error) {
	for i, text := range []string{"brown fox", "brown bear"} {
		if err := e.put(ctx, fmt.Sprintf("search %d", i), value.String(text)); err != nil {
			return finding{}, err
		}
	}
	for _, tt := range []struct {
		q    ltm.Query
		want int
	}{
		{ltm.Query{Text: "FOX"}, 1},
		{ltm.Query{Text: "brown"}, 2},
		{ltm.Query{Prefix: "search ", Metadata: []ltm.Filter{{Path: []string{"from"}, Value: value.String("doctor")}}}, 2},
		{ltm.Query{Prefix: "search ", Metadata: []ltm.Filter{{Path: []string{"from"}, Value: value.String("nobody")}}}, 0},
	} {
		page, err := e.m.Search(ctx, tt.q)
		if err != nil {
			return finding{}, err
		}
		if len(page.Entries) != tt.want {
			return finding{}, fmt.Errorf("a search found %d entries, not %d", len(page.Entries), tt.want)
		}
	}
	return good("words, prefix and metadata"), nil
}

// latency measures gets and puts, one after another.
func (e *examination) latency(ctx context.Context) (finding, error) {
	var err error
	v := value.Must(make([]byte, 1<<10))
	measure := func(call func() error) Latency {
		took := make([]time.Duration, 0, e.o.Samples)
		for range e.o.Samples {
			begin := e.m.Now()
			if err = errors.Join(err, call()); err != nil {
				return Latency{}
			}
			took = append(took, e.m.Now().Sub(begin))
		}
		slices.Sort(took)
		return Latency{Samples: len(took), P50: took[len(took)/2], P99: took[len(took)*99/100]}
	}
	e.Put = measure(func() error { return e.put(ctx, "latency", v) })
	e.Get = measure(func() error { _, err := e.m.Get(ctx, "latency"); return err })
	if err != nil {
		return finding{}, err
	}
	says := fmt.Sprintf("get %v (p99 %v), put %v (p99 %v), of %d each", rounded(e.Get.P50), rounded(e.Get.P99),
		rounded(e.Put.P50), rounded(e.Put.P99), e.o.Samples)
	if e.Get.P99 > slowness {
		return finding{Warn, says + fmt.Sprintf(": the cache waits %v at most, then does without", slowness),
			"choose a nearer store, or set near=URL or memory=SIZE in the URL"}, nil
	}
	return good("%s", says), nil
}

// rounded leaves about three digits of d.
func rounded(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for d.Abs() >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit)
}
