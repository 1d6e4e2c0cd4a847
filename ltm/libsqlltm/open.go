package libsqlltm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/tea-agents/tea/ltm/driver"
)

// Store is a driver.Store in a libSQL server. It has every optional ability.
// Make one with Open.
type Store struct {
	client *client
	life   context.Context // until Close
	end    context.CancelFunc

	mu    sync.RWMutex // held by Close against calls that begin
	calls sync.WaitGroup
}

// Opener returns what opens the database that u names, and makes our tables
// where they are missing. The error says all that is wrong with u itself.
func Opener(u *url.URL) (func(context.Context) (driver.Store, error), error) {
	c, err := parse(u)
	if err != nil {
		return nil, err
	}
	return c.open, nil
}

// Open opens the database that u names: see Opener.
func Open(ctx context.Context, u *url.URL) (driver.Store, error) {
	c, err := parse(u)
	if err != nil {
		return nil, err
	}
	return c.open(ctx)
}

func (c config) open(ctx context.Context) (driver.Store, error) {
	s := &Store{}
	s.life, s.end = context.WithCancel(context.Background())
	s.client = newClient(s.life, c)
	err := s.do(ctx, s.prepare)
	if err == nil {
		return s, nil
	}
	err = errors.Join(err, s.Close())
	var e *serverError
	if errors.As(err, &e) {
		switch e.status {
		case http.StatusUnauthorized, http.StatusForbidden:
			return nil, fmt.Errorf("%w: the server does not take the token (%s or %s): %w",
				driver.ErrConfig, paramToken, envToken, e)
		case http.StatusNotFound:
			return nil, fmt.Errorf("%w: the server has no such database: %w", driver.ErrConfig, e)
		}
	}
	return nil, err
}

// Close implements driver.Store. It ends calls under way.
func (s *Store) Close() error {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	s.calls.Wait()
	s.client.close()
	return nil
}

// do makes a call: f gets a context that ends with ctx or with the store.
func (s *Store) do(ctx context.Context, f func(context.Context) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	return s.fail(ctx, f(inner))
}

// begin counts a call, or returns why it cannot be made.
func (s *Store) begin(ctx context.Context) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.life.Err() != nil {
		return driver.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.calls.Add(1)
	return nil
}
