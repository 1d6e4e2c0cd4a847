package libsqlltm

import (
	"context"

	"github.com/tea-agents/tea/ltm/driver"
)

// The server's clock is read to the millisecond: days since noon in 4714 BC.
const queryFacts = `SELECT 'libSQL, SQLite ' || sqlite_version(), format,
CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) FROM tea_store`

// Inspect implements driver.Inspector.
func (s *Store) Inspect(ctx context.Context) (driver.Facts, error) {
	f := driver.Facts{Newest: len(migrations())}
	err := s.do(ctx, func(ctx context.Context) error {
		results, err := s.client.run(ctx, sql(queryFacts))
		if err != nil {
			return err
		}
		row, err := results[0].row()
		if err != nil {
			return err
		}
		var format int64
		err = scan(row, &f.Product, &format, &f.Time)
		f.Format = int(format)
		return err
	})
	if err != nil {
		return driver.Facts{}, err
	}
	return f, nil
}
