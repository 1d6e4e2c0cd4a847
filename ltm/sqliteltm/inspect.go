package sqliteltm

import (
	"context"

	"github.com/tea-agents/tea/ltm/driver"
)

// Inspect implements driver.Inspector. The file has no clock of its own.
func (s *Store) Inspect(ctx context.Context) (driver.Facts, error) {
	if err := s.begin(ctx); err != nil {
		return driver.Facts{}, err
	}
	f := driver.Facts{Newest: len(migrations())}
	err := s.read.one(ctx, "SELECT 'SQLite ' || sqlite_version(), user_version FROM pragma_user_version", nil, &f.Product, &f.Format)
	if err != nil {
		return driver.Facts{}, s.fail(ctx, err)
	}
	return f, nil
}
