package postgresltm_test

import (
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/internal/testserver/pgserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

// network is a way to a server that can be made bad.
type network struct{ *badnet.Network }

func newNetwork(t *testing.T, upstream string) network {
	t.Helper()
	return network{badnet.New(t, upstream)}
}

// fault makes a fault of toxics, each as JSON without its name.
func (n network) fault(name string, toxics ...string) drivertest.Fault {
	return drivertest.Fault{Name: name, Begin: func(t *testing.T) func() {
		t.Helper()
		return n.Break(t, toxics...)
	}, Patience: 5 * time.Second} // connections on their way may take their time to fail
}

// faulty opens a store behind a network of its own, with all that may happen.
func faulty(t *testing.T) (driver.Store, []drivertest.Fault) {
	t.Helper()
	server := pgserver.Start(t)
	n := newNetwork(t, server.Addr())
	s := openURL(t, server.URL(n.Addr(), "max_conns=4"))
	return s, []drivertest.Fault{
		n.fault("latency", `"type":"latency","stream":"downstream","attributes":{"latency":1000,"jitter":200}`),
		n.fault("some latency", `"type":"latency","stream":"upstream","attributes":{"latency":40,"jitter":30}`),
		n.fault("reset", `"type":"reset_peer","stream":"downstream","attributes":{"timeout":0}`),
		n.fault("reset later", `"type":"reset_peer","stream":"upstream","attributes":{"timeout":100}`),
		n.fault("blackhole", `"type":"timeout","stream":"upstream","attributes":{"timeout":0}`,
			`"type":"timeout","stream":"downstream","attributes":{"timeout":0}`),
		n.fault("half open", `"type":"timeout","stream":"downstream","attributes":{"timeout":0}`),
		n.fault("slow", `"type":"slicer","stream":"downstream","attributes":{"average_size":4,"size_variation":2,"delay":50000}`),
		n.fault("narrow", `"type":"bandwidth","stream":"downstream","attributes":{"rate":1}`),
		{Name: "no listener", Begin: func(t *testing.T) func() {
			t.Helper()
			return n.Down(t)
		}},
		{Name: "killed", Begin: func(t *testing.T) func() {
			t.Helper()
			server.Kill(t)
			return func() { server.Restart(t) }
		}, Patience: 5 * time.Second},
	}
}
