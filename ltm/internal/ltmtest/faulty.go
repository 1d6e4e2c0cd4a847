package ltmtest

import (
	"context"
	"sync/atomic"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
)

// Faulty is a store in memory that fails on demand. What it is asked for may be
// changed while it is used. Make one with NewFaulty.
type Faulty struct {
	*memltm.Store
	Reads      atomic.Pointer[error] // what Get and Revision return
	Writes     atomic.Pointer[error] // what Put returns
	Corrupt    atomic.Bool           // Get flips a bit
	Hangs      atomic.Bool           // Get, Revision and Put end only when Release is closed
	HangsOnPut atomic.Bool           // only Put does
	Release    chan struct{}

	Asks, Gets, Puts, ExpiredDeletes atomic.Int64 // how often it was asked
}

// NewFaulty returns an empty store that does not fail yet.
func NewFaulty() *Faulty { return &Faulty{Store: memltm.New(), Release: make(chan struct{})} }

// Fail makes reads and writes return err from now on, or work again where it is nil.
func (f *Faulty) Fail(err error) {
	for _, p := range []*atomic.Pointer[error]{&f.Reads, &f.Writes} {
		if err == nil {
			p.Store(nil)
		} else {
			p.Store(&err)
		}
	}
}

func (f *Faulty) fault(p *atomic.Pointer[error]) error {
	f.Asks.Add(1)
	if f.Hangs.Load() {
		<-f.Release
	}
	if err := p.Load(); err != nil {
		return *err
	}
	return nil
}

// Get implements driver.Store.
func (f *Faulty) Get(ctx context.Context, k driver.Key) (driver.Record, error) {
	f.Gets.Add(1)
	if err := f.fault(&f.Reads); err != nil {
		return driver.Record{}, err
	}
	r, err := f.Store.Get(ctx, k)
	if f.Corrupt.Load() && len(r.Value) > 0 {
		r.Value[len(r.Value)-1] ^= 1
	}
	return r, err
}

// Revision implements driver.Reviser.
func (f *Faulty) Revision(ctx context.Context) (int64, error) {
	if err := f.fault(&f.Reads); err != nil {
		return 0, err
	}
	return f.Store.Revision(ctx)
}

// Put implements driver.Store.
func (f *Faulty) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	f.Puts.Add(1)
	if f.HangsOnPut.Load() {
		<-f.Release
	}
	if err := f.fault(&f.Writes); err != nil {
		return false, err
	}
	return f.Store.Put(ctx, r, c)
}

// DeleteExpired implements driver.Expirer.
func (f *Faulty) DeleteExpired(ctx context.Context, s driver.Space, now int64, limit int) (int, error) {
	f.ExpiredDeletes.Add(1)
	return f.Store.DeleteExpired(ctx, s, now, limit)
}
