package cli

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

func (a *app) printStats(s cache.Stats) error {
	w := tabwriter.NewWriter(a.streams.out, 0, 0, 2, ' ', 0)
	total, bytes := totals(s)
	if _, err := fmt.Fprintf(w, "%s\t%d B\t%d expired\n", entries(total), bytes, s.Expired); err != nil {
		return err
	}
	for _, n := range s.Namespaces {
		if _, err := fmt.Fprintf(w, "%s\t%s\t%d B\n", n.Namespace, entries(n.Entries), n.Bytes); err != nil {
			return err
		}
		for _, by := range n.Actions {
			if _, err := fmt.Fprintf(w, "  %s\t%s\t\n", by.Action, entries(by.Entries)); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

func totals(s cache.Stats) (entries, bytes int64) {
	for _, n := range s.Namespaces {
		entries += n.Entries
		bytes += n.Bytes
	}
	return entries, bytes
}

func statsValue(s cache.Stats) value.Value {
	total, bytes := totals(s)
	namespaces := make([]value.Value, len(s.Namespaces))
	for i, n := range s.Namespaces {
		by := make(map[string]value.Value, len(n.Actions))
		for _, action := range n.Actions {
			by[action.Action] = value.Int(action.Entries)
		}
		namespaces[i] = value.Object(value.M("namespace", value.String(n.Namespace)), value.M("entries", value.Int(n.Entries)),
			value.M("bytes", value.Int(n.Bytes)), value.M("actions", value.Map(by)))
	}
	return value.Object(value.M("entries", value.Int(total)), value.M("bytes", value.Int(bytes)),
		value.M("expired", value.Int(s.Expired)), value.M("namespaces", value.List(namespaces...)))
}

// entryValue is an entry as JSON output shows it.
func entryValue(e *cache.Entry, now time.Time) value.Value {
	return value.Object(value.M("key", value.String(e.Key.String())), value.M("expired", value.Bool(e.Expired(now))),
		value.M("metadata", e.Metadata), value.M("value", e.Value))
}

func entries(n int64) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// age writes how long ago something was, in its largest unit.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(max(d, 0).Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}

// left says how long an entry still lives.
func left(e *cache.Entry, now time.Time) string {
	switch {
	case e.ExpiresAt.IsZero():
		return "never expires"
	case e.Expired(now):
		return "expired"
	default:
		return age(e.ExpiresAt.Sub(now)) + " left"
	}
}
