package cli

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// meter shows how far work is that may take long: to a person at a terminal a
// bar, once it has taken a second; else, with -v, a line every ten seconds. A nil
// meter shows nothing.
type meter struct {
	w        io.Writer
	what     string // such as "copying"
	now      func() time.Time
	terminal bool

	total  int64 // 0 is unknown
	done   int64
	begin  time.Time
	shown  time.Time
	begun  bool // something stands in the bar's line
	period time.Duration
}

const (
	meterPatience = time.Second
	meterRedraw   = 100 * time.Millisecond
	meterLines    = 10 * time.Second
	meterWidth    = 24
)

// meter returns one for work of so many parts, 0 if that is unknown.
func (a *app) meter(what string, total int64, verbose bool) *meter {
	terminal := a.streams.terminal()
	if !terminal && !verbose {
		return nil
	}
	return newMeter(a.streams.err, a.now, terminal, what, total)
}

func newMeter(w io.Writer, now func() time.Time, terminal bool, what string, total int64) *meter {
	m := &meter{w: w, what: what, now: now, terminal: terminal, total: total, begin: now()}
	if m.period = meterLines; terminal {
		m.period = meterPatience
	}
	m.shown = m.begin
	return m
}

// add tells of n parts more that are done.
func (m *meter) add(n int64) {
	if m == nil {
		return
	}
	m.done += n
	now := m.now()
	if now.Sub(m.shown) < m.period {
		return
	}
	m.shown = now
	if !m.terminal {
		m.write("%s: %s\n", m.what, m.text(now))
		return
	}
	m.period, m.begun = meterRedraw, true
	m.write("\r\x1b[K%s %s%s", m.what, m.bar(), m.text(now))
}

// end removes the bar, so that other lines can follow.
func (m *meter) end() {
	if m != nil && m.begun {
		m.begun = false
		m.write("\r\x1b[K")
	}
}

// bar is empty where nobody knows how much there is.
func (m *meter) bar() string {
	if m.total <= 0 {
		return ""
	}
	full := int(meterWidth * min(m.done, m.total) / m.total)
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", meterWidth-full) + "] "
}

func (m *meter) text(now time.Time) string {
	took := now.Sub(m.begin)
	rate := float64(m.done) / max(took.Seconds(), 1e-3)
	if m.total <= 0 || m.done > m.total {
		return fmt.Sprintf("%s, %.0f/s", entries(m.done), rate)
	}
	text := fmt.Sprintf("%d of %s, %d %%, %.0f/s", m.done, entries(m.total), 100*m.done/m.total, rate)
	if m.done > 0 && m.done < m.total {
		left := time.Duration(float64(took) / float64(m.done) * float64(m.total-m.done))
		text += ", " + left.Round(time.Second).String() + " left"
	}
	return text
}

// write ignores errors: a closed stderr must not end the work.
func (m *meter) write(format string, args ...any) { _, _ = fmt.Fprintf(m.w, format, args...) }
