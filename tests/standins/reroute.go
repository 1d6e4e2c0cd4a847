package standins

import (
	"context"
	"net"
	"net/http"
	"os"
	"strings"
)

// llamaCloud is the service whose address no agent of the stories can choose,
// as they are those of the story that they come from, verbatim.
const llamaCloud = "api.cloud.llamaindex.ai:443"

// Reroute leads connections to LlamaCloud to the server that the environment
// variable STANDIN_LLAMA_CLOUD names, which speaks HTTP without TLS. It is to be
// called once, before anything else.
func Reroute() {
	standin := strings.TrimPrefix(os.Getenv("STANDIN_LLAMA_CLOUD"), "http://")
	transport, ok := http.DefaultTransport.(*http.Transport)
	if standin == "" || !ok {
		return
	}
	transport.ForceAttemptHTTP2 = false
	transport.DialTLSContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == llamaCloud {
			addr = standin
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
}
