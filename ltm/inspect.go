package ltm

import (
	"context"

	"github.com/tea-agents/tea/ltm/driver"
)

// Facts are what a store tells about itself: see driver.Facts.
type Facts = driver.Facts

// Inspect asks the store about itself. A store that tells nothing fails with
// errors.ErrUnsupported.
func (m *Memory) Inspect(ctx context.Context) (Facts, error) {
	s, err := m.use(ctx)
	if err != nil {
		return Facts{}, m.fail("inspect", "", err)
	}
	f, err := driver.Inspect(ctx, s)
	return f, m.fail("inspect", "", err)
}
