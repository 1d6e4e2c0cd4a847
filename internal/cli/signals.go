package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/tea-agents/tea/engine"
)

// stopped returns the signal that ended ctx in the place of an error that is but
// its consequence.
func stopped(ctx context.Context, err error) error {
	var signal *engine.SignalError
	if errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &signal) {
		return signal
	}
	return err
}

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
