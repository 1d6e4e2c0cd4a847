package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/doctor"
	"github.com/tea-agents/tea/value"
)

// maxSamples bounds how many calls tea ltm doctor measures.
const maxSamples = 100_000

func (a *app) ltmDoctor() *cobra.Command {
	var json bool
	var samples int
	c := addJSON(&cobra.Command{
		Use:   "doctor [URL]",
		Short: "Examine a memory: rights, speed, and all that tea builds on",
		Long: `Examine a memory, by default that which agents would use: whether it can be
reached, read and written, its format and clock, whether conditional puts,
leases and searches work, and how long gets and puts take. It works in a scratch
namespace, which it removes. Exit status 3 if a check fails.`,
		Example: `  tea ltm doctor sqlite:///var/lib/tea/memory.db
  tea ltm doctor --json --samples 1000`,
		Args: takes(1),
		RunE: func(c *cobra.Command, args []string) error {
			if samples < 1 || samples > maxSamples {
				return usageError{fmt.Errorf("--samples %d: want 1 to %d", samples, maxSamples)}
			}
			where := append(args, a.memoryURL())[0]
			return a.examine(c.Context(), where, samples, json)
		},
	}, &json)
	c.Flags().IntVar(&samples, "samples", 50, "measure so `MANY` gets and puts")
	return c
}

func (a *app) examine(ctx context.Context, where string, samples int, asJSON bool) error {
	var report *doctor.Report
	url := ""
	m, err := a.mux().Lazy(where, &ltm.Options{Now: a.now})
	if err != nil {
		report = doctor.Unopened(err)
	} else {
		url = m.URL()
		report = doctor.Examine(ctx, m, &doctor.Options{Samples: samples})
		if err := ctx.Err(); err != nil { // what failed then says nothing of the store
			return errors.Join(err, m.Close())
		}
		if err := m.Close(); err != nil {
			report.Findings = append(report.Findings, doctor.Finding{Check: "close", State: doctor.Warn, Says: err.Error()})
		}
	}
	if asJSON {
		err = a.println(reportValue(url, report).Indent())
	} else {
		err = a.printReport(report)
	}
	if err == nil && report.Failed() {
		err = storeFailure{errors.New("the memory is not fit for use: " + strings.TrimSpace("see what failed above. "+url))}
	}
	return err
}

func (a *app) printReport(r *doctor.Report) error {
	w := tabwriter.NewWriter(a.streams.out, 0, 0, 2, ' ', 0)
	for _, f := range r.Findings {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", f.State, f.Check, oneLine(f.Says)) // Flush tells
		if f.Mend != "" {
			_, _ = fmt.Fprintf(w, "\t\t→ %s\n", oneLine(f.Mend))
		}
	}
	return w.Flush()
}

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", "; ") }

func reportValue(url string, r *doctor.Report) value.Value {
	findings := make([]value.Value, len(r.Findings))
	for i, f := range r.Findings {
		findings[i] = value.Object(value.M("check", value.String(f.Check)), value.M("state", value.String(string(f.State))),
			value.M("says", value.String(f.Says)), value.M("mend", value.String(f.Mend)))
	}
	return value.Object(value.M("url", value.String(url)), value.M("ok", value.Bool(!r.Failed())),
		value.M("findings", value.List(findings...)), value.M("get", latencyValue(r.Get)), value.M("put", latencyValue(r.Put)))
}

// latencyValue is null where nothing was measured.
func latencyValue(l doctor.Latency) value.Value {
	if l.Samples == 0 {
		return value.Null()
	}
	ms := func(d time.Duration) value.Value { return value.Float(float64(d) / float64(time.Millisecond)) }
	return value.Object(value.M("samples", value.Int(int64(l.Samples))), value.M("p50_ms", ms(l.P50)), value.M("p99_ms", ms(l.P99)))
}
