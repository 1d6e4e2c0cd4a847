package memltm_test

import (
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/memltm"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(*testing.T) driver.Store { return memltm.New() }, drivertest.Options{})
}
