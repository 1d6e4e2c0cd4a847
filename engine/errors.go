package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/engine/internal/machine"
	"github.com/tea-agents/tea/ltm"
)

// NodeError is the failure of a run with the node that failed.
type NodeError = machine.NodeError

// ErrRunTimeout is the cause of a run's end when it took longer than
// settings.limits.run_timeout allows.
var ErrRunTimeout = errors.New("the run took longer than its limit")

// ErrConfig is in the errors of what cannot work as it is configured, whoever
// tries it and whenever: an unknown memory URL, an unknown cache mode.
var ErrConfig = errors.New("bad configuration")

// SignalError is the cause of a run's end by a signal of the operating system:
// cancel a run with it, so that [ExitCode] knows.
type SignalError struct {
	Name   string // such as "interrupt"
	Number int
}

// Error names the signal.
func (e *SignalError) Error() string { return "stopped by signal: " + e.Name }

// The exit codes that are not those of an actions.Code.
const (
	exitFailed    = 1
	exitConfig    = 3
	exitTimeout   = 124
	exitOfSignals = 128
)

// ExitCode returns the status with which a command ends after err:
//
//	0    nil
//	1    the run or a validation failed
//	3    a store or the configuration
//	4    a credential is missing
//	6    a replay miss
//	70   a fault of ours
//	124  the run's time limit
//	130  canceled; 128 and the signal's number for a SignalError
func ExitCode(err error) int {
	var signal *SignalError
	var coded *actions.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &signal):
		return exitOfSignals + signal.Number
	case errors.Is(err, ErrRunTimeout):
		return exitTimeout
	case errors.Is(err, ErrConfig), errors.Is(err, ltm.ErrConfig), storeFailed(err), cassette.IsConfig(err):
		return exitConfig
	case errors.As(err, &coded):
		return coded.Code.ExitCode()
	case errors.Is(err, context.Canceled):
		return actions.CodeCanceled.ExitCode()
	default:
		return exitFailed
	}
}

// storeFailed tells whether err is the failure of a store, whatever was asked of
// it.
func storeFailed(err error) bool {
	var of *ltm.Error
	return errors.As(err, &of) && of.OfStore()
}

func configError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrConfig, fmt.Errorf(format, args...))
}
