package mcpactions

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tea-agents/tea/value"
)

// tap is a transport that keeps the server's last answer as it came: decoded
// by the library, integers would lose digits.
type tap struct {
	mcp.Transport
	door *door // to be told the protocol's version; nil without HTTP

	mu     sync.Mutex
	last   []byte
	broken error
}

// Connect implements [mcp.Transport].
func (t *tap) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return tapped{c, t}, nil
}

// answer returns the last answer, byte for byte.
func (t *tap) answer() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// note keeps the first error since the last answer that is more than the end of
// the connection: the library tells only that it closed it.
func (t *tap) note(err error) {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.broken == nil {
		t.broken = err
	}
}

// broke returns what broke the connection, or nil.
func (t *tap) broke() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.broken
}

// keep notes an answer. The library tells the version of the protocol only to
// connections of its own, so that here the door is told.
func (t *tap) keep(result []byte) {
	t.mu.Lock()
	t.last, t.broken = result, nil
	t.mu.Unlock()
	if t.door == nil {
		return
	}
	if v, err := value.Parse(result); err == nil { // else the library complains
		if version := v.At("protocolVersion").Text(); version != "" && v.At("serverInfo").Kind() == value.KindObject {
			t.door.agreed(version)
		}
	}
}

type tapped struct {
	mcp.Connection
	tap *tap
}

// Read implements [mcp.Connection].
func (c tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Response); ok && r.Error == nil {
		c.tap.keep(r.Result)
	}
	c.tap.note(err)
	return m, err
}

// Write implements [mcp.Connection].
func (c tapped) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	c.tap.note(err)
	return err
}
