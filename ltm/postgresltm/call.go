package postgresltm

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tea-agents/tea/ltm/driver"
)

// attempts is how often a call is tried whose failure changed nothing.
const attempts = 10

// read makes a call that changes nothing. A connection that breaks, as all do
// when the server restarts, is replaced by a new one.
func (s *Store) read(ctx context.Context, f func(context.Context) error) error {
	return s.call(ctx, f, func(err error) bool { return repeatable(err) || broken(err) })
}

// write makes a call that changes something.
func (s *Store) write(ctx context.Context, f func(context.Context) error) error {
	if s.config.readOnly {
		return driver.ErrReadOnly
	}
	return s.call(ctx, f, repeatable)
}

func (s *Store) call(outer context.Context, f func(context.Context) error, again func(error) bool) error {
	if s.closed.Load() {
		return driver.ErrClosed
	}
	if err := outer.Err(); err != nil {
		return err
	}
	ctx, end := s.under(outer)
	defer end()
	var err error
	for range attempts {
		if err = f(ctx); err == nil || ctx.Err() != nil {
			break
		}
		if broken(err) {
			s.pool.Reset() // the other connections are as old
		}
		switch {
		case crowded(err) && s.pool.Stat().TotalConns() > 0:
			pause(ctx)
		case !again(err):
			return s.fail(outer, err)
		}
	}
	return s.fail(outer, err)
}

// breath is how long a call waits for a connection of its own store when the
// server takes no more.
const breath = 20 * time.Millisecond

func pause(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, breath)
	defer cancel()
	<-ctx.Done()
}

// one runs a query and scans its row, pgx.ErrNoRows if it has none.
func (s *Store) one(ctx context.Context, query string, args []any, dest ...any) error {
	return s.pool.QueryRow(ctx, query, args...).Scan(dest...)
}

// each runs a query and calls f for each row.
func each(ctx context.Context, q querier, query string, args []any, f func(pgx.Rows) error) error {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}
