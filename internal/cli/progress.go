package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tea-agents/tea/engine/event"
)

// verbosity says how much of a run's progress is shown.
type verbosity int

const (
	quiet   verbosity = iota - 1 // failures only
	normal                       // a line a node, prints, the closing line
	verbose                      // cache keys, reasons, inner calls and routes too
)

// progress writes what a run does, a line a node:
//
//	✓ read_zones      HIT     0.4 ms  (saved 12 ms)
type progress struct {
	w       io.Writer
	level   verbosity
	width   int // of the column of names
	begin   time.Time
	started map[string]time.Time
	live    bool   // chunks are shown as they come
	midline string // the call whose chunk ended within a line; "" for none
}

func newProgress(w io.Writer, level verbosity, names []string) *progress {
	p := &progress{w: w, level: level, width: 8, started: map[string]time.Time{}}
	for _, n := range names {
		p.width = min(max(p.width, len([]rune(n))), 32)
	}
	return p
}

// show writes the line, if any, that an event is worth.
func (p *progress) show(e event.Event) {
	if p.level == quiet {
		return
	}
	switch b := e.Body.(type) {
	case event.RunStarted:
		p.begin = e.Time
	case event.NodeStarted:
		p.started[b.ID] = e.Time
	case event.NodeSkipped:
		p.line("–", b.Node, "", "skipped")
	case event.NodeFinished:
		p.node(e.Time, b)
	case event.CallFinished:
		p.inner(b)
	case event.Chunk:
		p.chunk(b)
	case event.Log:
		p.log(b)
	case event.LoopExhausted:
		p.line("!", b.Node, "", fmt.Sprintf("stopped after max_iterations (%d)", b.Iterations))
	case event.RouteTaken:
		if p.level == verbose {
			p.line("→", b.To, "", "")
		}
	case event.RunFinished:
		p.closing(e.Time, b)
	}
}

func (p *progress) node(at time.Time, b event.NodeFinished) {
	took := duration(at.Sub(p.started[b.ID]))
	delete(p.started, b.ID)
	mark, note := "✓", took
	if b.Error != nil {
		mark, note = "✗", took+"  "+b.Error.Code
		if b.Error.Handled != "" {
			note += " (handled: " + b.Error.Handled + ")"
		}
	}
	if s := saved(b.Cache, b.LLMCache); s != "" {
		note += "  (saved " + s + ")"
	}
	p.line(mark, b.Node, status(b.Cache, b.LLMCache), note)
	p.detail("cache", b.Cache)
	p.detail("llm cache", b.LLMCache)
}

// inner shows a call that an action made, and for cache.wrap what the cache did.
func (p *progress) inner(b event.CallFinished) {
	if p.level != verbose {
		return
	}
	p.line("·", b.Action, status(b.Cache, b.LLMCache), duration(time.Duration(b.DurationMS)*time.Millisecond))
	p.detail("cache", b.Cache)
	p.detail("llm cache", b.LLMCache)
}

// detail shows a cache key, and the reason for anything but a hit.
func (p *progress) detail(name string, c *event.Cache) {
	if c == nil || p.level != verbose && (c.Reason == "" || c.Status == "hit" || c.Status == "miss") {
		return
	}
	if p.level == verbose && c.Key != "" {
		p.write("    key: %s\n", c.Key)
	}
	if c.Reason != "" {
		p.write("    %s: %s\n", name, c.Reason)
	}
}

func (p *progress) log(b event.Log) {
	if b.Level == "debug" && p.level != verbose {
		return
	}
	prefix := "  | "
	if b.Level != "info" {
		prefix += b.Level + ": "
	}
	for line := range strings.Lines(b.Message) {
		p.write("%s%s\n", prefix, strings.TrimRight(line, "\n"))
	}
}

func (p *progress) closing(at time.Time, b event.RunFinished) {
	line := fmt.Sprintf("%s, %s, %s, %s", count(b.Nodes, "node"), count(b.Hits, "hit"), misses(b.Misses),
		duration(at.Sub(p.begin)))
	if s := amount(b.SavedMS, b.SavedUSD); s != "" {
		line += ", saved " + s
	}
	p.write("%s\n", line)
}

func (p *progress) line(mark, name, status, note string) {
	pad := strings.Repeat(" ", max(0, p.width-len([]rune(name))))
	p.write("%s\n", strings.TrimRight(fmt.Sprintf("%s %s%s  %-8s %s", mark, name, pad, status, note), " "))
}

// write writes whole lines. It ignores errors: a closed stderr must not end a
// run.
func (p *progress) write(format string, args ...any) {
	p.endLine()
	_, _ = fmt.Fprintf(p.w, format, args...)
}

// status is the caches' part of a node's line. What the cache of model answers
// did shows where there is no more to say of the other one.
func status(c, answers *event.Cache) string {
	switch {
	case c != nil:
		return strings.ToUpper(c.Status)
	case answers != nil:
		return strings.ToUpper(answers.Status) + " llm"
	default:
		return ""
	}
}

// saved is what a hit saved, or "".
func saved(caches ...*event.Cache) string {
	for _, c := range caches {
		if c != nil && c.Status == "hit" {
			return amount(c.SavedMS, c.SavedUSD)
		}
	}
	return ""
}

// amount writes time and money, as far as there is any.
func amount(ms int64, usd float64) string {
	var parts []string
	if ms > 0 {
		parts = append(parts, duration(time.Duration(ms)*time.Millisecond))
	}
	if usd > 0 {
		parts = append(parts, usDollars(usd))
	}
	return strings.Join(parts, ", ")
}

// usDollars writes an amount of money with two digits that count.
func usDollars(usd float64) string {
	if usd >= 1 {
		return fmt.Sprintf("$%.2f", usd)
	}
	return "$" + strconv.FormatFloat(usd, 'f', max(2, 1-int(math.Floor(math.Log10(usd)))), 64)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func misses(n int) string {
	if n == 1 {
		return "1 miss"
	}
	return fmt.Sprintf("%d misses", n)
}

// duration writes d with about three digits.
func duration(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}
