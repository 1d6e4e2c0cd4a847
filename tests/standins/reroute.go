package standins

import (
	"context"
	"net"
	"net/http"
	"os"
	"strings"
)

// Reroute leads connections to services whose address agents do not choose to
// servers of the story, which speak HTTP without TLS. The environment variable
// STANDIN_ROUTES lists them as host=address, separated by commas. It is to be
// called once, before anything else.
func Reroute() {
	transport, ok := http.DefaultTransport.(*http.Transport)
	routes := map[string]string{}
	for route := range strings.SplitSeq(os.Getenv("STANDIN_ROUTES"), ",") {
		if host, address, found := strings.Cut(route, "="); found {
			routes[host+":443"] = strings.TrimPrefix(address, "http://")
		}
	}
	if len(routes) == 0 || !ok {
		return
	}
	transport.ForceAttemptHTTP2 = false
	transport.DialTLSContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if standin, ok := routes[addr]; ok {
			addr = standin
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
}
