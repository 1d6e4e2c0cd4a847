package libsqlltm_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
)

// What eight clients see at once fits one order of what they did, also where the
// network breaks meanwhile and answers are lost.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	for _, broken := range []bool{false, true} {
		t.Run(fmt.Sprint("faults=", broken), func(t *testing.T) {
			t.Parallel()
			raw := one(t)
			h := drivertest.History{Keys: 16}
			through := raw
			if broken {
				var n *badnet.Network
				n, through = behind(t, raw)
				h.Patience, h.Meanwhile = 2*time.Second, func(ctx context.Context) {
					ltmtest.Shake(ctx, t, n, 50*time.Millisecond, badnet.Reset, badnet.Refusal, badnet.Cut)
				}
			}
			var clients []driver.Store
			for range 8 {
				clients = append(clients, open(t, through))
			}
			drivertest.Linearizable(t, clients, h)
		})
	}
}
