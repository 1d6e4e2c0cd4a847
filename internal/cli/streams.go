package cli

import (
	"context"
	"fmt"
	"io"
	"os"
)

// streams are where the command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func systemStreams() streams { return streams{os.Stdin, os.Stdout, os.Stderr} }

// input is standard input, whose reading ends when ctx does: someone who typed too
// little can stop what waits for more. It is to be closed.
func (s streams) input(ctx context.Context) io.ReadCloser {
	r, w := io.Pipe()
	stop := context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() {
		defer stop()
		_, err := io.Copy(w, s.in)
		w.CloseWithError(err)
	}()
	return r
}

// terminal tells whether a person reads stderr.
func (s streams) terminal() bool {
	f, ok := s.err.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// say writes a line to stderr. A closed stderr is nobody's fault.
func (s streams) say(format string, args ...any) { _, _ = fmt.Fprintf(s.err, format+"\n", args...) }
