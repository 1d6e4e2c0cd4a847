package object

import (
	"net/http"
	"sync/atomic"
	"time"
)

// answered notes the time of a server's answers, by its clock. The zero value
// has none.
type answered struct{ at atomic.Int64 }

// note takes the time from the headers of an answer.
func (a *answered) note(h http.Header) {
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		a.noteTime(t)
	}
}

// noteTime takes the time of an answer, which servers tell to the second: the
// middle of that is the best guess.
func (a *answered) noteTime(t time.Time) { a.at.Store(t.Add(500 * time.Millisecond).UnixMilli()) }

// Time implements Object.
func (a *answered) Time() int64 { return a.at.Load() }
