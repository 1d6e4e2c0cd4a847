package spec

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

// Settings is the document's `settings`, expanded.
type Settings struct {
	Data   *Data // all of it; nil when not written
	LTM    Text  // URL of the long-term memory, or a path; zero: not set
	Cache  *Data // cache options or a short form of them, as written; nil: not set
	LLM    *Data // parameters of every call of a model, as written; nil: not set
	Record Record
	Allow  []Text
	// Programs of the machine that the agent wants to start.
	Programs []Text
	Limits   Limits
	Env      []Text // names of environment variables that templates may read
}

// Limits is `settings.limits`. Zero fields were not written.
type Limits struct {
	MaxSteps      int
	RunTimeout    time.Duration
	MaxStateBytes int64
}

// Record is `settings.record`: what recordings of the agent's runs hold. Zero
// fields were not written.
type Record struct {
	Calls       Text // outward or all
	Normalize   []Text
	OnExhausted Text // error or last
}

// The bounds of `settings.limits`.
const (
	maxSteps      = 1_000_000_000
	maxStateBytes = 1 << 40
)

// Expand reads the settings of a, in which `${VAR}` and `${VAR:-default}` stand
// for environment variables that lookup finds. An unset one without a default
// is an error.
func (a *Agent) Expand(lookup func(name string) (string, bool)) (Settings, diag.List) {
	if a.Settings == nil {
		return Settings{}, nil
	}
	x := newExpander(newSource(a.File, a.Source), lookup)
	d := x.expand(a.Settings)
	s := x.settings(d)
	x.diags.Sort()
	return s, x.diags
}

func (p *parser) settings(d *Data) Settings {
	p.object(d, settingsShape())
	s := Settings{
		Data:   d,
		Cache:  d.Get("cache"),
		LTM:    p.ltm(d.Get("ltm")),
		LLM:    p.mapping(d.Get("llm"), "`settings.llm`"),
		Record: p.record(d.Get("record")),
		Limits: p.limits(d.Get("limits")),
		Env:    p.names(d.Get("env"), "`settings.env`"),
	}
	if run := p.mapping(d.Get("run"), "`settings.run`"); run != nil {
		run = p.object(run, runShape())
		s.Allow = p.names(run.Get("allow"), "`settings.run.allow`")
		s.Programs = p.names(run.Get("programs"), "`settings.run.programs`")
	}
	return s
}

// record reads the options of recordings; a text alone says which calls.
func (p *parser) record(d *Data) Record {
	if d != nil && d.IsText() {
		return Record{Calls: p.word(d, "`settings.record`", "outward", "all")}
	}
	if d = p.mapping(d, "`settings.record`"); d == nil {
		return Record{}
	}
	d = p.object(d, recordShape())
	return Record{
		Calls:       p.word(d.Get("calls"), "`calls`", "outward", "all"),
		Normalize:   p.names(d.Get("normalize"), "`normalize`"),
		OnExhausted: p.word(d.Get("on_exhausted"), "`on_exhausted`", "error", "last"),
	}
}

// word returns one of a few words.
func (p *parser) word(d *Data, what string, words ...string) Text {
	if d == nil {
		return Text{}
	}
	if !d.IsText() || !slices.Contains(words, d.Text.Value) {
		p.wrongType(d, what, strings.Join(words, " or ")).Hint = suggestion(d, words)
		return Text{}
	}
	return d.Text
}

// suggestion says which of the words a text may have been meant as.
func suggestion(d *Data, words []string) string {
	if s := diag.Suggest(d.Text.Value, words); s != "" {
		return fmt.Sprintf("did you mean %q?", s)
	}
	return ""
}

func (p *parser) limits(d *Data) Limits {
	if d = p.mapping(d, "`settings.limits`"); d == nil {
		return Limits{}
	}
	d = p.object(d, limitsShape())
	return Limits{
		MaxSteps:      p.integer(d.Get("max_steps"), "`max_steps`", 1, maxSteps),
		RunTimeout:    p.duration(d.Get("run_timeout"), "`run_timeout`"),
		MaxStateBytes: int64(p.integer(d.Get("max_state_bytes"), "`max_state_bytes`", 1, maxStateBytes)),
	}
}

// duration returns a duration above zero, or zero when it was not written.
func (p *parser) duration(d *Data, what string) time.Duration {
	if d == nil {
		return 0
	}
	t, err := schema.ParseDuration(d.Text.Value)
	if d.Kind == value.KindObject || d.Kind == value.KindList || err != nil || t <= 0 {
		p.wrongType(d, what, "a duration above zero").Hint = "such as 90s, 30m or 2h"
		return 0
	}
	return t
}
