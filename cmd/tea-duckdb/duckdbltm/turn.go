package duckdbltm

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

const (
	tick = 20 * time.Millisecond // how often the holder of a file looks around
	// turn is how long it keeps the file while another one waits. Opening and
	// closing take a part of every turn.
	turn = 200 * time.Millisecond
	idle = 300 * time.Millisecond // how long it keeps a file that it does not use
	// pollFile is how often the first in the queue tries to open the file.
	pollFile = 10 * time.Millisecond
)

// file opens a database when a call needs it, and gives it back when it is
// idle, or when somebody waits for it and its turn is over. All stores of a path
// share it.
type file struct {
	queue queue // "" keeps the database open

	mu     sync.Mutex
	config config   // of the first store; read-only if all are
	stores int      // that use it
	next   *attempt // to open it; nil when none is under way
	held   *holding // nil when the database is not open
}

// attempt is an attempt to open the database, of all who wait for it.
type attempt struct {
	done   chan struct{}
	cancel context.CancelFunc
	err    error // set before done is closed
}

// holding is a database as long as it is open.
type holding struct {
	db      *database
	users   int                // calls under way
	uses    int                // calls ever
	leaving bool               // no call may begin any more
	end     context.CancelFunc // of the staying
	waiting bool               // for drained
	drained chan struct{}      // closed when no call is under way any more
	left    chan struct{}      // closed when the database is closed
	err     error              // of closing it; set before left is closed
}

// acquire returns the open database for one call, which ends it with release.
func (f *file) acquire(ctx context.Context) (*holding, error) {
	for {
		h, wait := f.enter(ctx)
		if h != nil {
			return h, nil
		}
		if err := wait(ctx); err != nil {
			return nil, err
		}
	}
}

// enter returns the open database, or what waits until it is worth asking again.
func (f *file) enter(ctx context.Context) (*holding, func(context.Context) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.held != nil && f.held.leaving:
		return nil, f.held.gone
	case f.held != nil:
		f.held.users++
		f.held.uses++
		return f.held, nil
	case f.next == nil:
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.config.busy)
		f.next = &attempt{done: make(chan struct{}), cancel: cancel}
		go f.run(limited, f.next, f.config)
	}
	return nil, f.next.wait
}

func (a *attempt) wait(ctx context.Context) error {
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// gone waits until the database is closed.
func (h *holding) gone(ctx context.Context) error {
	select {
	case <-h.left:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run makes an attempt, and holds the database until it leaves.
func (f *file) run(ctx context.Context, a *attempt, c config) {
	defer a.cancel()
	db, err := f.wait(ctx, &c)
	staying, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	h := &holding{db: db, end: end, drained: make(chan struct{}), left: make(chan struct{})}
	f.mu.Lock()
	f.next, a.err = nil, err
	if err == nil {
		f.held = h
		if c.readOnly && !f.config.readOnly {
			h.leave()
		}
	}
	f.mu.Unlock()
	close(a.done)
	if err == nil {
		f.hold(staying, h)
	}
}

// wait opens the database, first waiting for those who wait for it already.
func (f *file) wait(ctx context.Context, c *config) (*database, error) {
	if f.queue != "" {
		if err := c.makeFolder(); err != nil {
			return nil, fileError(err)
		}
		leave, err := f.queue.enter(ctx)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
		}
		defer leave()
	}
	for {
		db, err := c.open(context.WithoutCancel(ctx))
		if err == nil || !held(err) || pause(ctx, pollFile) != nil {
			return db, err
		}
	}
}

// hold keeps the database open until it is time to leave, and closes it.
func (f *file) hold(staying context.Context, h *holding) {
	f.stay(staying, h)
	f.mu.Lock()
	h.leaving, h.waiting = true, true
	if h.users == 0 {
		close(h.drained)
	}
	f.mu.Unlock()
	<-h.drained
	h.err = h.db.close()
	f.mu.Lock()
	f.held = nil
	f.mu.Unlock()
	close(h.left)
}

// leave asks to leave at once. The file is locked.
func (h *holding) leave() {
	h.leaving = true
	h.end()
}

// stay returns when the database is to be left.
func (f *file) stay(staying context.Context, h *holding) {
	if f.queue == "" {
		<-staying.Done()
		return
	}
	uses, unused := -1, time.Duration(0)
	for held := tick; pause(staying, tick) == nil; held += tick {
		f.mu.Lock()
		if unused += tick; h.users > 0 || h.uses != uses {
			unused = 0
		}
		uses = h.uses
		f.mu.Unlock()
		if unused >= idle || held >= turn && f.queue.waits() {
			return
		}
	}
}

// release ends the use of the database by a call that returned err.
func (f *file) release(h *holding, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h.users--
	if err != nil && ruined(err) {
		h.leave()
	}
	if h.waiting && h.users == 0 {
		close(h.drained)
	}
}

// letGo closes the database if no store uses it any more.
func (f *file) letGo() error {
	for {
		f.mu.Lock()
		a, h := f.next, f.held
		used := f.stores > 0
		if a != nil && !used {
			a.cancel()
		}
		if h != nil && !used {
			h.leave()
		}
		f.mu.Unlock()
		switch {
		case used || a == nil && h == nil:
			return nil
		case h != nil:
			<-h.left
			return h.err
		}
		<-a.done
	}
}
