package transfer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// maxLine is more than the longest entry takes.
const maxLine = ltm.MaxValueBytes + ltm.MaxMetadataBytes + 16*ltm.MaxKeyBytes

// Error says in which line of a file something is wrong. It wraps ErrTorn,
// ErrDamaged, ErrFormat, ltm.ErrNewer or an error of the reader underneath.
type Error struct {
	Line int // from 1
	Err  error
}

// Error returns, for example: line 3: the file is damaged: the checksum does
// not fit.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Reader reads an export. It is not for concurrent use.
type Reader struct {
	Header Header

	in    *bufio.Reader
	line  []byte
	lines int
	chain chain
}

// NewReader reads the header.
func NewReader(r io.Reader) (*Reader, error) {
	x := &Reader{in: bufio.NewReaderSize(r, 64<<10)}
	v, err := x.next()
	if err == nil {
		x.Header, err = headerOf(v)
		x.chain.begin(x.line)
	}
	if errors.Is(err, ErrDamaged) && v.IsNull() { // whatever it is, it is not ours
		err = ErrFormat
	}
	return x, x.fail(err)
}

// All returns the entries, each after its checksum was found to fit, once. It
// ends after an error; without one the file was whole.
func (x *Reader) All() iter.Seq2[ltm.Entry, error] {
	return func(yield func(ltm.Entry, error) bool) {
		for {
			e, err := x.read()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(e, x.fail(err)) || err != nil {
				return
			}
		}
	}
}

// read returns the next entry, or io.EOF after the end.
func (x *Reader) read() (ltm.Entry, error) {
	v, err := x.next()
	if err != nil {
		return ltm.Entry{}, err
	}
	if _, ok := v.Get(fieldEnd); ok {
		return ltm.Entry{}, x.finish(v)
	}
	sum, err := checkSum(x.line)
	if err != nil {
		return ltm.Entry{}, err
	}
	e, err := entryOf(v)
	if err != nil {
		return ltm.Entry{}, err
	}
	if err := x.chain.add(&e, sum); err != nil {
		return ltm.Entry{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return e, nil
}

// finish checks the end against what was read, and that nothing follows.
func (x *Reader) finish(end value.Value) error {
	if !value.Equal(end, x.chain.end()) {
		return fmt.Errorf("%w: entries are missing, or were added or changed: the end tells of %s, %d were read",
			ErrDamaged, end.At(fieldEnd, fieldEntries), x.chain.entries)
	}
	if _, err := x.in.ReadByte(); err != nil {
		return err
	}
	x.lines++
	return fmt.Errorf("%w: something follows its end", ErrDamaged)
}

// next returns the next line, which must be there.
func (x *Reader) next() (value.Value, error) {
	x.lines++
	if err := x.readLine(); err != nil {
		return value.Null(), err
	}
	v, err := value.Parse(x.line)
	if err != nil {
		return v, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if v.Kind() != value.KindObject {
		return value.Null(), fmt.Errorf("%w: a line is a %s, not an object", ErrDamaged, v.Kind())
	}
	return v, nil
}

// readLine reads a line, which ends with a newline, and drops that.
func (x *Reader) readLine() error {
	x.line = x.line[:0]
	for {
		part, err := x.in.ReadSlice('\n')
		x.line = append(x.line, part...)
		switch {
		case len(x.line) > maxLine:
			return fmt.Errorf("%w: a line is longer than any entry", ErrDamaged)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return ErrTorn
		case err != nil:
			return err
		default:
			x.line = x.line[:len(x.line)-1]
			return nil
		}
	}
}

func (x *Reader) fail(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Line: x.lines, Err: err}
}
