package mcpactions

import (
	"context"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/rest"
)

// most bounds every message of a server and every body that has them.
const most = 16 << 20

// session is a connection to a server that is ready to be asked. It is asked
// one thing after the other.
type session struct {
	*mcp.ClientSession
	name   string
	hidden []string
	env    actions.Env
	tap    *tap
	door   *door  // of a server at a URL, else nil
	local  *local // of a server that is a program, else nil
}

// within opens a session for as long as use takes.
func within(
	ctx context.Context, env actions.Env, run runner, at server, timeout time.Duration, use func(context.Context, *session) error,
) error {
	if err := at.check(); err != nil {
		return err
	}
	s := &session{name: at.name(), hidden: at.hidden(), env: env}
	ctx, cancel := rest.Within(ctx, timeout, s.name)
	defer cancel()
	transport, err := s.transport(ctx, run, at)
	if err != nil {
		return err
	}
	if s.local != nil {
		defer s.local.stop() // after the session is closed
	}
	s.tap = &tap{Transport: transport, door: s.door}
	client := mcp.NewClient(&mcp.Implementation{Name: "tea", Version: "1"}, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	s.ClientSession, err = client.Connect(ctx, s.tap, nil)
	if err != nil {
		return s.explain(ctx, err)
	}
	defer s.Close() //nolint:errcheck // the answer is there already
	return use(ctx, s)
}

// transport returns the way to the server.
func (s *session) transport(ctx context.Context, run runner, at server) (mcp.Transport, error) {
	if at.Transport == "stdio" {
		if run == nil {
			return nil, actions.Errorf(actions.CodeDenied,
				"%s is a program on this machine, and this run may not start programs: its user has to grant that, or give the url of a server", s.name)
		}
		s.local = newLocal(ctx, run, at)
		return s.local, nil
	}
	s.door = newDoor(ctx, s, at)
	client := &http.Client{Transport: s.door, Jar: s.env.HTTP.Jar}
	if at.Transport == "sse" {
		return &mcp.SSEClientTransport{Endpoint: at.URL, HTTPClient: client, MaxEventSize: most}, nil
	}
	return &mcp.StreamableClientTransport{
		Endpoint: at.URL, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: most,
	}, nil
}
