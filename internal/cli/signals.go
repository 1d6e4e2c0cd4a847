package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/tea-agents/tea/engine"
)

// withSignals returns a context that SIGINT and SIGTERM cancel, with an
// engine.SignalError as its cause. A second signal ends the process at once.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			number, _ := s.(syscall.Signal)
			cancel(&engine.SignalError{Name: s.String(), Number: int(number)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(context.Canceled)
	}
}
