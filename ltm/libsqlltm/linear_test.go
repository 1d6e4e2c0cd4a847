package libsqlltm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
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
				var n *network
				n, through = behind(t, raw)
				h.Patience, h.Meanwhile = 2*time.Second, func(ctx context.Context) { n.shake(ctx, t) }
			}
			var clients []driver.Store
			for range 8 {
				clients = append(clients, open(t, through))
			}
			drivertest.Linearizable(t, clients, h)
		})
	}
}

// shake breaks the network for a moment, again and again.
func (n *network) shake(ctx context.Context, t *testing.T) {
	t.Helper()
	for ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond)
		mend := n.Break(t, faults[[]string{"reset", "refusal", "cut"}[rand.IntN(3)]]...)
		time.Sleep(3 * time.Millisecond)
		mend()
	}
}
