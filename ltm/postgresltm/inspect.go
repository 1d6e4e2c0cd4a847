package postgresltm

import (
	"context"

	"github.com/tea-agents/tea/ltm/driver"
)

// What the server adds to its version stands after a space: who built it.
const queryFacts = `SELECT 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1), t.format,
	(extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM tea_store AS t`

// Inspect implements driver.Inspector.
func (s *Store) Inspect(ctx context.Context) (f driver.Facts, err error) {
	err = s.read(ctx, func(ctx context.Context) error {
		f = driver.Facts{Newest: len(migrations())}
		return s.one(ctx, queryFacts, nil, &f.Product, &f.Format, &f.Time)
	})
	return f, err
}
