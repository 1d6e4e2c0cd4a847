package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
)

// State says how a check ended.
type State string

// The states.
const (
	OK   State = "ok"
	Warn State = "warn" // it works, but not as well as it should
	Fail State = "fail"
)

// Finding is the outcome of a check.
type Finding struct {
	Check string // its name, such as "write"
	State State
	Says  string
	Mend  string // what would help; "" where nothing need be done
}

// Latency is how long calls took, one after another.
type Latency struct {
	Samples  int
	P50, P99 time.Duration
}

// Report is the outcome of all checks, in the order in which they were made.
// After a check without which others make no sense these are left out.
type Report struct {
	Findings []Finding
	Get, Put Latency // zero where they were not measured
}

// Failed tells whether any check failed.
func (r *Report) Failed() bool {
	for _, f := range r.Findings {
		if f.State == Fail {
			return true
		}
	}
	return false
}

// Options are the choices of Examine. A nil *Options is all defaults.
type Options struct {
	Samples int           // how many gets and puts are measured; 0 is 50
	Timeout time.Duration // how long one check may take; 0 is 15 s
}

// Examine checks the memory m, which need not be open yet, by m's clock. What is
// wrong with the store is in the report.
func Examine(ctx context.Context, m *ltm.Memory, o *Options) *Report {
	e := &examination{o: Options{Samples: 50, Timeout: 15 * time.Second}, Report: &Report{}}
	if o != nil && o.Samples > 0 {
		e.o.Samples = o.Samples
	}
	if o != nil && o.Timeout > 0 {
		e.o.Timeout = o.Timeout
	}
	e.m = m.In(driver.User, "tea-doctor-"+rand.Text())
	if u, err := url.Parse(m.URL()); err == nil {
		e.readOnly, _ = strconv.ParseBool(u.Query().Get("readonly"))
	}
	e.all(ctx)
	return e.Report
}

// Unopened is the report on a memory whose URL cannot work.
func Unopened(err error) *Report {
	e := &examination{Report: &Report{}}
	e.failed("connect", err)
	return e.Report
}

// examination is an Examine under way.
type examination struct {
	*Report
	m        *ltm.Memory // of the scratch namespace
	o        Options
	readOnly bool // as the URL asks for
}

func (e *examination) all(ctx context.Context) {
	if !e.check(ctx, "connect", e.connect) {
		return
	}
	e.check(ctx, "format", e.format)
	e.check(ctx, "clock", e.clock)
	if e.readOnly {
		e.check(ctx, "read", e.readOf)
		e.add("write", Warn, "the URL asks for reading only", "leave out readonly=true for agents that remember")
		return
	}
	defer e.cleanUp(ctx)
	if !e.check(ctx, "write", e.write) || !e.check(ctx, "read", e.read) || !e.check(ctx, "delete", e.remove) {
		return
	}
	e.check(ctx, "put if absent", e.ifAbsent)
	e.check(ctx, "put if unchanged", e.ifRevision)
	e.check(ctx, "lease", e.lease)
	e.check(ctx, "search", e.search)
	e.check(ctx, "latency", e.latency)
}

// finding is what a check that did not fail says.
type finding struct {
	state      State
	says, mend string
}

func good(format string, args ...any) finding {
	return finding{state: OK, says: fmt.Sprintf(format, args...)}
}

// check runs one check and tells whether it passed.
func (e *examination) check(ctx context.Context, name string, run func(context.Context) (finding, error)) bool {
	ctx, cancel := context.WithTimeout(ctx, e.o.Timeout)
	defer cancel()
	f, err := run(ctx)
	if err != nil {
		e.failed(name, err)
		return false
	}
	e.add(name, f.state, f.says, f.mend)
	return f.state != Fail
}

func (e *examination) add(name string, s State, says, mend string) {
	e.Findings = append(e.Findings, Finding{Check: name, State: s, Says: says, Mend: mend})
}

func (e *examination) failed(name string, err error) {
	var of *ltm.Error
	says := err.Error()
	if errors.As(err, &of) { // the report names the store once
		says = of.Err.Error()
	}
	e.add(name, Fail, says, mend(err))
}

// mend says what would help against an error.
func mend(err error) string {
	kinds := []struct {
		is   error
		says string
	}{
		{ltm.ErrConfig, "do what the message says, or correct the URL; tea ltm --help tells of its form"},
		{ltm.ErrNewer, "upgrade tea, or choose another store"},
		{ltm.ErrReadOnly, "let this user write there, or say readonly=true in the URL"},
		{ltm.ErrFull, "make room, or run: tea cache gc"},
		{ltm.ErrCorrupt, "keep a copy of the store, then restore a backup, or choose another store"},
		{context.DeadlineExceeded, "look whether the store is up, and whether network and firewall let this machine reach it"},
		{ltm.ErrUnavailable, "look whether the store is up, and whether address and credentials are right"},
	}
	for _, k := range kinds {
		if errors.Is(err, k.is) {
			return k.says
		}
	}
	return "see the message; the store refused what it was asked"
}

// cleanUp removes what the checks left. It has time even when ctx is over.
func (e *examination) cleanUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.o.Timeout)
	defer cancel()
	if _, err := e.m.DeleteWhere(ctx, ltm.Query{IncludeExpired: true}, nil); err != nil {
		e.add("clean up", Warn, err.Error(), "nothing: what is left in namespace "+e.m.Namespace()+" expires in "+scratchTTL.String())
	}
}
