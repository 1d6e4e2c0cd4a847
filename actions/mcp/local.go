package mcpactions

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tea-agents/tea/actions"
)

// runner runs a program to its end, which that of ctx brings about. It returns
// when the program has ended, although Stdin may have more to give. The error
// says why the program could not be started, or that it did not end well.
type runner = func(ctx context.Context, p actions.Process) error

// grace is how long a server has to end by itself once its input has ended.
const grace = 2 * time.Second

// local is the transport to a server that is a program.
type local struct {
	start  func(p actions.Process) error
	kill   context.CancelFunc
	p      actions.Process
	stderr tail
	done   chan struct{} // closed when the program has ended; nil before it is started
	err    error         // how it ended, once done is closed
}

// newLocal returns a transport that has started nothing yet. The program ends
// with ctx at the latest.
func newLocal(ctx context.Context, run runner, at server) *local {
	ctx, kill := context.WithCancel(ctx)
	return &local{
		start: func(p actions.Process) error { return run(ctx, p) }, kill: kill,
		p: actions.Process{Argv: slices.Concat([]string{at.Command}, at.Args), Env: at.Env},
	}
}

// Connect implements [mcp.Transport].
func (l *local) Connect(ctx context.Context) (mcp.Connection, error) {
	in, toProgram, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromProgram, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), toProgram.Close())
	}
	p := l.p
	p.Stdin, p.Stdout, p.Stderr = in, out, &l.stderr
	l.done = make(chan struct{})
	go func() {
		l.err = l.start(p)
		close(l.done)
		_ = out.Close() // the last holder: the server's end of file
		_ = in.Close()  // there is nobody to read any more
	}()
	return (&mcp.IOTransport{Reader: fromProgram, Writer: toProgram, MaxLineLength: most}).Connect(ctx)
}

// stop waits for the end of the program, which knows it from its input, and
// kills it where it takes its time.
func (l *local) stop() {
	defer l.kill()
	if l.done == nil {
		return
	}
	patience, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	select {
	case <-l.done:
	case <-patience.Done():
		l.kill()
		<-l.done
	}
}

// ended tells whether the program has ended, and how.
func (l *local) ended() (bool, error) {
	select {
	case <-l.done:
		return true, l.err
	default:
		return false, nil
	}
}

// tail is a writer that keeps the end of what is written. The zero tail is
// ready; it is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	const keep = 2 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if n := len(t.text); n > keep {
		t.text = slices.Clone(t.text[n-keep:])
	}
	return len(p), nil
}

// String returns what is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
