package cli

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/value"
)

// shortKey is how many digits of a key a table shows.
const shortKey = 12

// ofModel returns the answers of a model; "" is any.
func ofModel(infos []llmcache.Info, model string) []llmcache.Info {
	if model == "" {
		return infos
	}
	var found []llmcache.Info
	for _, i := range infos {
		if i.Model == model || i.Provider+"/"+i.Model == model {
			found = append(found, i)
		}
	}
	return found
}

func (a *app) listAnswers(infos []llmcache.Info, asJSON bool) error {
	w := tabwriter.NewWriter(a.streams.out, 0, 0, 2, ' ', 0)
	for i := range infos {
		var err error
		if asJSON {
			err = a.println(infoValue(&infos[i]).String())
		} else {
			err = a.printInfo(w, &infos[i])
		}
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

func (a *app) printInfo(w io.Writer, i *llmcache.Info) error {
	pin := ""
	if i.Pinned {
		pin = "pinned"
	}
	_, err := fmt.Fprintf(w, "%.*s\t%s\t%s\t%s\t%d B\t%s\n", shortKey, i.Key, modelText(i.Provider, i.Model),
		age(a.now().Sub(i.CachedAt)), hits(i.HitCount), i.Bytes, pin)
	return err
}

func modelText(provider, model string) string {
	if text := strings.Trim(provider+"/"+model, "/"); text != "" {
		return text
	}
	return "unknown"
}

func hits(n int64) string {
	if n == 1 {
		return "1 hit"
	}
	return fmt.Sprintf("%d hits", n)
}

func (a *app) printLLMStats(s llmcache.Stats) error {
	w := tabwriter.NewWriter(a.streams.out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		_, _ = fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) // Flush tells
	}
	line("entries", "%d (%d pinned)", s.TotalEntries, s.Pinned)
	line("bytes", "%d", s.Bytes)
	line("hit rate, 7 days", "%s", rateText(s.Week))
	line("tokens saved", "%d", s.Ever.Tokens)
	line("est. saved", "%s", dollars(s.Ever))
	for _, m := range s.ByModel {
		line("  "+modelText(m.Provider, m.Model), "%s, %d B, %s, %d tokens, %s",
			entries(m.Entries), m.Bytes, hits(m.Ever.Hits), m.Ever.Tokens, dollars(m.Ever))
	}
	if len(s.Top10) > 0 {
		line("most hit", "%s", "")
	}
	for _, i := range s.Top10 {
		line("  "+i.Key[:shortKey], "%s, %s", hits(i.HitCount), modelText(i.Provider, i.Model))
	}
	return w.Flush()
}

func rateText(s llmcache.Savings) string {
	rate, ok := s.HitRate()
	if !ok {
		return "no lookups"
	}
	return fmt.Sprintf("%.1f %% of %d lookups", 100*rate, s.Lookups)
}

// dollars tells what was saved, and of how many hits that is not known.
func dollars(s llmcache.Savings) string {
	usd, known := s.EstUSD()
	switch {
	case !known:
		return "unknown price"
	case s.Unpriced > 0:
		return fmt.Sprintf("$%.4f, and %s of unknown price", usd, hits(s.Unpriced))
	}
	return fmt.Sprintf("$%.4f", usd)
}

// llmStatsValue is the statistics as JSON output shows them.
func llmStatsValue(s llmcache.Stats) value.Value {
	rate := value.Null()
	if r, ok := s.Week.HitRate(); ok {
		rate = value.Float(r)
	}
	top := make([]value.Value, len(s.Top10))
	for i := range s.Top10 {
		top[i] = infoValue(&s.Top10[i])
	}
	models := make([]value.Value, len(s.ByModel))
	for i, m := range s.ByModel {
		models[i] = value.Object(value.M("provider", value.String(m.Provider)), value.M("model", value.String(m.Model)),
			value.M("entries", value.Int(m.Entries)), value.M("bytes", value.Int(m.Bytes))).Merge(savingsValue(m.Ever))
	}
	return value.Object(
		value.M("total_entries", value.Int(s.TotalEntries)), value.M("bytes", value.Int(s.Bytes)),
		value.M("pinned", value.Int(s.Pinned)),
		value.M("hit_rate_7d", rate), value.M("lookups_7d", value.Int(s.Week.Lookups)), value.M("hits_7d", value.Int(s.Week.Hits)),
		value.M("top_10", value.List(top...)), value.M("by_model", value.List(models...)),
	).Merge(savingsValue(s.Ever))
}

func savingsValue(s llmcache.Savings) value.Value {
	saved := value.Null()
	if usd, known := s.EstUSD(); known {
		saved = value.Float(usd)
	}
	return value.Object(value.M("lookups", value.Int(s.Lookups)), value.M("hits", value.Int(s.Hits)),
		value.M("tokens_saved", value.Int(s.Tokens)), value.M("est_usd_saved", saved),
		value.M("unpriced_hits", value.Int(s.Unpriced)))
}

// infoValue is an answer in a list as JSON output shows it.
func infoValue(i *llmcache.Info) value.Value {
	return value.Object(value.M("key", value.String(i.Key)), value.M("provider", value.String(i.Provider)),
		value.M("model", value.String(i.Model)), value.M("bytes", value.Int(i.Bytes))).Merge(usefulnessValue(&i.Usefulness))
}

func usefulnessValue(u *llmcache.Usefulness) value.Value {
	return value.Object(value.M("cached_at", timeValue(u.CachedAt)), value.M("last_hit_at", timeValue(u.LastHitAt)),
		value.M("hit_count", value.Int(u.HitCount)), value.M("pinned", value.Bool(u.Pinned)))
}

// timeValue is a time; null where there is none.
func timeValue(t time.Time) value.Value {
	if t.IsZero() {
		return value.Null()
	}
	return value.String(llmcache.FormatTime(t))
}

// answerValue is an answer as JSON output shows it.
func answerValue(e *llmcache.Entry) value.Value {
	cost := value.Null()
	if e.Priced {
		cost = value.Float(e.CostUSD)
	}
	v := value.Object(value.M("key", value.String(e.Key)), value.M("provider", value.String(e.Provider)),
		value.M("model", value.String(e.Model)), value.M("request", e.Request), value.M("result", e.Result),
		value.M("usage", e.Usage), value.M("cost_usd", cost), value.M("duration_ms", value.Int(e.Duration.Milliseconds())),
	).Merge(usefulnessValue(&e.Usefulness))
	switch {
	case e.Raw == nil:
	case utf8.Valid(e.Raw):
		v = v.With("raw", value.String(string(e.Raw)))
	default:
		v = v.With("raw_base64", value.String(base64.StdEncoding.EncodeToString(e.Raw)))
	}
	if e.Chunks != nil {
		chunks := make([]value.Value, len(e.Chunks))
		for i, c := range e.Chunks {
			chunks[i] = value.Object(value.M("after_ms", value.Int(c.After.Milliseconds())), value.M("data", c.Data))
		}
		v = v.With("chunks", value.List(chunks...))
	}
	return v
}
