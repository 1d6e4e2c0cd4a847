package cassette

import (
	"context"
	"fmt"
	"time"
)

// Options say how a cassette is used. The zero Options, like nil, make calls
// and record nothing.
type Options struct {
	Mode Mode
	// Suite and Test are the test that records, for the header.
	Suite, Test string
	// Redact masks secrets that only the caller knows, in every text that is
	// hashed or written. It is called by many goroutines at once and must leave
	// alone what it returned before. nil masks nothing; what looks like a
	// credential is masked in any case.
	Redact func(string) string
	// Normalize names what is done to requests before they are hashed:
	// trim_space, collapse_space, lower, round_floats:N, drop:$.path. The
	// cassette keeps the list, and every use of it goes by that; another one here
	// is an error unless the cassette is recorded afresh.
	Normalize []string
	// OnExhausted says what happens when a request comes more often than it was
	// recorded: "error", also if empty, or "last", which repeats the last answer.
	OnExhausted string
	// AllowIncomplete serves answers too that were cut off.
	AllowIncomplete bool
	// ReplaySpeed is how fast chunks are replayed: 0 at once, 1 as recorded, 2
	// twice as fast.
	ReplaySpeed float64
	// Forbid refuses every call, recorded or not; the cassette is not even read.
	Forbid bool
	// Prune, in the mode RecordMissing, drops calls that were not touched, if
	// the run passed and touched any at all. For cassettes of one test only.
	Prune bool
	// Touched names a file to which Finish appends the calls that were touched,
	// for tea cassette prune. "" keeps no list.
	Touched string
	// Now tells the time; nil is the system's clock.
	Now func() time.Time
	// Sleep waits, or returns the cause of the end of ctx; nil is the system's
	// clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Tool is the version of the program, for the header.
	Tool string
	// RecordCommand is the command that records, said when a call is missing.
	RecordCommand string
}

const (
	exhaustedError = "error"
	exhaustedLast  = "last"
)

// complete returns the options with everything filled in, and all that is
// wrong with them.
func (o *Options) complete() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Redact == nil {
		c.Redact = func(s string) string { return s }
	}
	if c.Now == nil {
		c.Now = time.Now //nolint:forbidigo // the default of an injected clock
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.OnExhausted == "" {
		c.OnExhausted = exhaustedError
	}
	return c, c.check()
}

func (o *Options) check() error {
	switch {
	case o.Mode > Replay:
		return fmt.Errorf("%w: %v is not a mode of recording", ErrConfig, o.Mode)
	case o.OnExhausted != exhaustedError && o.OnExhausted != exhaustedLast:
		return fmt.Errorf("%w: on_exhausted is %q, not %s or %s", ErrConfig, o.OnExhausted, exhaustedError, exhaustedLast)
	case !(o.ReplaySpeed >= 0):
		return fmt.Errorf("%w: the replay speed is %v, not 0 or more", ErrConfig, o.ReplaySpeed)
	}
	_, err := parseNormalizers(o.Normalize)
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d) //nolint:forbidigo // the default of an injected clock
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
