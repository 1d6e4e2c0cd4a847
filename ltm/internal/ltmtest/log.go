package ltmtest

import (
	"strings"
	"sync"
)

// Log keeps what a slog.TextHandler writes to it. It may be used concurrently.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns all that was written.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Warnings returns how many warnings were written.
func (l *Log) Warnings() int { return strings.Count(l.String(), "level=WARN") }
