package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// The statuses of shells for a command that cannot be run, and for one that a
// signal ended.
const (
	statusNoCommand = 127
	statusOfSignals = 128
)

// endOfCommand is how long a command has between the signal and the kill.
const endOfCommand = 10 * time.Second

// statusError is the status with which somebody else's command ended, who has
// said why.
type statusError struct{ code int }

func (e statusError) Error() string { return "the command failed" }

// runCommandWith runs a command with more in its environment. The error is its
// status.
func (a *app) runCommandWith(ctx context.Context, command, env []string) error {
	c := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // running the user's command is what is asked for
	c.Stdin, c.Stdout, c.Stderr = a.streams.in, a.streams.out, a.streams.err
	c.Env = append(os.Environ(), env...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = endOfCommand
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &exit):
		a.streams.say("tea: %v", err)
		return statusError{statusNoCommand}
	}
	if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return statusError{statusOfSignals + int(s.Signal())}
	}
	return statusError{exit.ExitCode()}
}
