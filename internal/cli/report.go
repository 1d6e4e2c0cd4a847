package cli

import (
	"errors"
	"os"
	"syscall"

	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/internal/diag"
)

// The exit statuses that the command itself gives; the rest follow from the
// codes of errors, see [engine.ExitCode].
const (
	statusOK    = 0
	statusUsage = 2
)

// report shows what went wrong, if anything, and returns the exit status.
func (a *app) report(err error) int {
	var problems diag.List
	var usage usageError
	var status statusError
	switch {
	case err == nil:
		return statusOK
	case errors.As(err, &problems):
		a.showDiagnostics(problems)
		return engine.ExitCode(err)
	case errors.As(err, &usage):
		a.streams.say("tea: %v", err)
		a.streams.say("See 'tea --help'.")
		return statusUsage
	case errors.As(err, &status):
		return status.code
	}
	a.streams.say("tea: %v", err)
	return exitStatus(err)
}

// exitStatus adds a closed stdout to the statuses of errors: like any filter,
// tea then ends as SIGPIPE would end it.
func exitStatus(err error) int {
	if errors.Is(err, syscall.EPIPE) {
		return 128 + int(syscall.SIGPIPE)
	}
	return engine.ExitCode(err)
}

func (a *app) showDiagnostics(l diag.List) {
	l.Sort()
	_ = diag.Render(a.streams.err, l, readSource)
}

// readSource returns a file's text for the lines around a diagnostic.
func readSource(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(data)
}
