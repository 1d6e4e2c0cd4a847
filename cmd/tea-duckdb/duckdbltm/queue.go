package duckdbltm

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/tea-agents/tea/internal/blob/filelock"
)

// queue is the file beside a database whose lock is held by the one who waits
// for the database. Who has it open looks whether somebody does.
type queue string

// enter waits until ctx is over to be the one who waits. Where the file cannot
// be made, as in a folder of which one may only read, there is no queue.
func (q queue) enter(ctx context.Context) (leave func(), err error) {
	f, err := filelock.Open(ctx, string(q), filelock.TryLock, pause)
	switch {
	case err == nil:
		return func() { _ = f.Close() }, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("others wait for the file: %w", ctx.Err())
	default:
		return func() {}, nil
	}
}

// waits tells whether somebody waits.
func (q queue) waits() bool {
	f, err := os.OpenFile(string(q), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	free, err := filelock.TryLock(f)
	return !free && err == nil
}

// pause waits, and returns why it ended early.
func pause(ctx context.Context, d time.Duration) error {
	waited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-waited.Done()
	return ctx.Err()
}
