package bucketltm

import (
	"context"
	"errors"
	"fmt"

	"github.com/tea-agents/tea/ltm/driver"
)

// Inspect implements driver.Inspector: the format is the file's, the time the
// bucket's.
func (s *Store) Inspect(ctx context.Context) (driver.Facts, error) {
	if err := s.begin(ctx); err != nil {
		return driver.Facts{}, err
	}
	limited, cancel := context.WithTimeout(ctx, s.config.timeout)
	defer cancel()
	if err := s.sync(limited); err != nil {
		return driver.Facts{}, s.callError(ctx, err)
	}
	asked := s.object.Time()
	f, err := read(ctx, s, driver.Inspect)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return driver.Facts{}, err
	}
	if f.Product != "" {
		f.Product = fmt.Sprintf("%s in a file (%s)", f.Product, s.config.object.Scheme)
	}
	f.Time = asked
	return f, nil
}
