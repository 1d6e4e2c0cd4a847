package object

import (
	"context"
	"io"
	"strconv"
	"sync"
)

// memory is an object in the memory of this process. The zero memory is empty.
type memory struct {
	mu      sync.Mutex
	content []byte
	count   int // of changes; 0 is no object
}

// Get implements Object.
func (m *memory) Get(ctx context.Context, known Mark, w io.Writer) (Mark, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	m.mu.Lock()
	content, mark := m.content, m.mark()
	m.mu.Unlock()
	switch mark {
	case "":
		return "", ErrMissing
	case known:
		return mark, ErrSame
	}
	_, err := w.Write(content)
	return mark, err
}

// Put implements Object.
func (m *memory) Put(ctx context.Context, content Content, size int64, known Mark) (Mark, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.NewSectionReader(content, 0, size))
	if err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mark() != known {
		return "", ErrChanged
	}
	m.content = b
	m.count++
	return m.mark(), nil
}

func (m *memory) mark() Mark {
	if m.count == 0 {
		return ""
	}
	return Mark(strconv.Itoa(m.count))
}

// Time implements Object.
func (*memory) Time() int64 { return 0 }

// Close implements Object.
func (*memory) Close() error { return nil }
