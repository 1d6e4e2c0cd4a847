package firestoreltm

import (
	"context"
	"errors"
	"net/url"
	"sync"

	firestore "cloud.google.com/go/firestore/apiv1"

	"github.com/tea-agents/tea/ltm/driver"
)

// Store is a driver.Store in Firestore. It is also an Expirer, a FullText, a
// BatchGetter, a BatchPutter, a BatchDeleter and an Inspector. Make one with
// Open.
type Store struct {
	config
	client *firestore.Client
	life   context.Context // until Close
	end    context.CancelFunc

	mu    sync.RWMutex // held by Close against calls that begin
	calls sync.WaitGroup
}

// Opener returns what opens the store that u names. The error says all that is
// wrong with u itself.
func Opener(u *url.URL) (func(context.Context) (driver.Store, error), error) {
	c, err := parse(u)
	if err != nil {
		return nil, err
	}
	return c.open, nil
}

// Open opens the store that u names: see Opener.
func Open(ctx context.Context, u *url.URL) (driver.Store, error) {
	c, err := parse(u)
	if err != nil {
		return nil, err
	}
	return c.open(ctx)
}

func (c config) open(ctx context.Context) (driver.Store, error) {
	client, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	s := &Store{config: c, client: client}
	s.life, s.end = context.WithCancel(context.Background())
	if err := s.do(ctx, s.prepare); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}
