package postgresltm

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tea-agents/tea/ltm/driver"
)

const (
	closeLimit = time.Second // for the client to say goodbye
	pingLimit  = time.Second // for an idle connection to show that it lives
	statements = 128         // prepared on each connection at most
	idleLimit  = time.Minute // until a connection leaves its place at the server to others
)

// Store is a driver.Store in a PostgreSQL database. It has every ability. Make
// one with Open.
type Store struct {
	config config
	dialer *dialer
	pool   *pgxpool.Pool
	life   context.Context // over when closed
	end    context.CancelFunc
	closed atomic.Bool
}

// Opener returns what opens the database that u names, and makes the tables
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
	open, err := Opener(u)
	if err != nil {
		return nil, err
	}
	return open(ctx)
}

func (c config) open(ctx context.Context) (driver.Store, error) {
	s, err := c.connect()
	if err != nil {
		return nil, err
	}
	ctx, end := s.under(ctx)
	defer end()
	if err := s.prepare(ctx); err != nil {
		err = s.fail(ctx, err)
		if refused(err) {
			err = fmt.Errorf("%w: %w", driver.ErrConfig, err)
		}
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// connect returns a store that has no connection yet.
func (c config) connect() (*Store, error) {
	p, err := pgxpool.ParseConfig(c.dsn)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", driver.ErrConfig, err)
	}
	s := &Store{config: c, dialer: &dialer{open: map[*conn]struct{}{}}}
	p.MaxConns, p.PingTimeout, p.MaxConnIdleTime = int32(c.conns), pingLimit, idleLimit
	cc := p.ConnConfig
	cc.ConnectTimeout, cc.DialFunc = c.timeout, s.dialer.dial
	cc.StatementCacheCapacity, cc.DescriptionCacheCapacity = statements, statements
	cc.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	if !c.prepared {
		cc.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if c.schema != "" {
		cc.RuntimeParams["search_path"] = pgx.Identifier{c.schema}.Sanitize()
	}
	s.life, s.end = context.WithCancel(context.Background())
	if s.pool, err = pgxpool.NewWithConfig(s.life, p); err != nil {
		s.end()
		return nil, fmt.Errorf("%w: %w", driver.ErrConfig, err)
	}
	return s, nil
}

// Close implements driver.Store. It ends calls under way.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.end()
	limit, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	closed := make(chan struct{})
	go func() {
		s.pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-limit.Done():
	}
	s.dialer.close()
	<-closed
	return nil
}

// under returns a context for a call: it ends with the store, too.
func (s *Store) under(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.WithValue(ctx, forCall{}, true))
	stop := context.AfterFunc(s.life, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}
