package transfer

import (
	"fmt"
	"io"

	"github.com/tea-agents/tea/ltm"
)

// Writer writes an export. It is not for concurrent use.
type Writer struct {
	w     io.Writer
	chain chain
	line  []byte
}

// NewWriter writes the header. The caller buffers w.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	x := &Writer{w: w}
	line := h.value().AppendJSON(nil)
	x.chain.begin(line)
	return x, x.write(line)
}

// Write writes an entry. Entries come sorted by namespace and key, each once.
func (x *Writer) Write(e *ltm.Entry) error {
	text, err := entryValue(e).Canonical()
	if err != nil {
		return fmt.Errorf("%q: %w", e.Key, err)
	}
	line, sum := appendLine(x.line[:0], text)
	if err := x.chain.add(e, sum); err != nil {
		return err
	}
	return x.write(line)
}

// Close writes the end, without which a file counts as cut short. It closes
// nothing.
func (x *Writer) Close() error { return x.write(x.chain.end().AppendJSON(nil)) }

func (x *Writer) write(line []byte) error {
	x.line = append(line, '\n')
	_, err := x.w.Write(x.line)
	return err
}
