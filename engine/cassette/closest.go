package cassette

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/engine/cassette/internal/textdiff"
	"github.com/tea-agents/tea/value"
)

const (
	// maxDiff is how many lines of a diff are shown, with diffContext lines
	// around every change.
	maxDiff     = 200
	diffContext = 3
	// maxCandidates is how many recorded calls are compared at most.
	maxCandidates = 10_000
	// maxLine is how long a line of a diff may be; longLead is what is shown
	// before the place where it changed.
	maxLine  = 400
	longLead = 120
)

// candidate is a recorded call that may be the closest one.
type candidate struct {
	call  *Call
	lines []string
	bound int // how many lines it can have in common at most
}

// closest returns the recorded call whose request has most lines in common with
// key, the first one of several, and how the requests differ.
func closest(key value.Value, recorded []*entry) (*Call, string) {
	want := strings.Split(key.Indent(), "\n")
	var best *candidate
	most := -1
	for _, c := range candidates(want, recorded) {
		if c.bound <= most {
			break
		}
		if n := textdiff.Common(c.lines, want); n > most {
			best, most = &c, n
		}
	}
	if best == nil {
		return nil, ""
	}
	return best.call, unified(best.lines, want)
}

// candidates returns the calls that can be read, the most promising first.
func candidates(want []string, recorded []*entry) []candidate {
	var all []candidate
	for _, e := range recorded[:min(len(recorded), maxCandidates)] {
		c, err := e.decode()
		if err != nil { // whoever asks for that call will be told
			continue
		}
		lines := strings.Split(c.Key.Indent(), "\n")
		all = append(all, candidate{c, lines, shared(lines, want)})
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return b.bound - a.bound })
	return all
}

// shared counts the lines that a and b have in common in any order.
func shared(a, b []string) int {
	in := make(map[string]int, len(b))
	for _, l := range b {
		in[l]++
	}
	n := 0
	for _, l := range a {
		if in[l] > 0 {
			in[l]--
			n++
		}
	}
	return n
}

// unified returns how two texts differ; "" if they do not.
func unified(a, b []string) string {
	script := textdiff.Script(a, b)
	shorten(script)
	return textdiff.Unified(script, diffContext, maxDiff)
}

// shorten cuts long lines, such as prompts: changed ones so that the place where
// they changed is seen.
func shorten(script []textdiff.Line) {
	for i := 0; i < len(script); {
		deleted := run(script[i:], textdiff.Delete)
		inserted := run(script[i+deleted:], textdiff.Insert)
		if deleted+inserted == 0 {
			script[i].Text = window(script[i].Text, 0)
			i++
			continue
		}
		changed := make([]int, max(deleted, inserted)) // where, in pairs of lines
		for j := range min(deleted, inserted) {
			changed[j] = commonPrefix(script[i+j].Text, script[i+deleted+j].Text)
		}
		for j := range deleted {
			script[i+j].Text = window(script[i+j].Text, changed[j])
		}
		for j := range inserted {
			script[i+deleted+j].Text = window(script[i+deleted+j].Text, changed[j])
		}
		i += deleted + inserted
	}
}

// run counts the lines with that operation at the beginning of a script.
func run(script []textdiff.Line, op textdiff.Op) int {
	n := 0
	for n < len(script) && script[n].Op == op {
		n++
	}
	return n
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// window cuts a long line to the part around a place.
func window(s string, at int) string {
	if len(s) <= maxLine {
		return s
	}
	from, to := max(0, at-longLead), min(len(s), max(0, at-longLead)+maxLine)
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	out := s[from:to]
	if from > 0 {
		indent := s[:len(s)-len(strings.TrimLeft(s, " "))]
		out = indent + "…" + out
	}
	if to < len(s) {
		out += "…"
	}
	return out
}
