package postgresltm

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

// farewell is how long the client may still talk on a connection that it gave
// up. A connection takes a place in the pool until then.
const farewell = 250 * time.Millisecond

// dialer connects to servers, and knows what is open.
type dialer struct {
	net  net.Dialer
	mu   sync.Mutex
	open map[*conn]struct{} // nil when closed
}

// forCall marks the context of a call. The client connects under it; to cancel a
// statement it connects under a context of its own.
type forCall struct{}

// dial is a pgconn.DialFunc.
func (d *dialer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	cancels := ctx.Value(forCall{}) == nil
	if cancels {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, farewell)
		defer cancel()
	}
	raw, err := d.net.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, dialer: d}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == nil {
		_ = raw.Close() // nobody uses it
		return nil, driver.ErrClosed
	}
	d.open[c] = struct{}{}
	if cancels {
		return c, c.SetDeadline(soon())
	}
	return c, nil
}

// close closes all connections for good.
func (d *dialer) close() {
	d.mu.Lock()
	open := d.open
	d.open = nil
	d.mu.Unlock()
	for c := range open {
		_ = c.Conn.Close() // what is under way on it says so
	}
}

// conn is a connection of the client.
type conn struct {
	net.Conn
	dialer *dialer
}

// SetDeadline moves a deadline that is far away to the end of the farewell: the
// client sets one in the past when a call is over, and one in the future only to
// say goodbye.
func (c *conn) SetDeadline(t time.Time) error {
	if limit := soon(); t.After(limit) {
		t = limit
	}
	return c.Conn.SetDeadline(t)
}

// Close closes the connection, of which the dialer knows no more.
func (c *conn) Close() error {
	c.dialer.mu.Lock()
	delete(c.dialer.open, c)
	c.dialer.mu.Unlock()
	return c.Conn.Close()
}

func soon() time.Time {
	return time.Now().Add(farewell) //nolint:forbidigo // the network has no clock of ours
}
