package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/agenttest"
	"github.com/tea-agents/tea/engine/cassette"
)

// testFlags are the flags of tea test.
type testFlags struct {
	only                  string
	record, recordMissing bool
	junit                 string
	verbose               bool
}

func (a *app) testCommand() *cobra.Command {
	var f testFlags
	c := &cobra.Command{
		Use:   "test [PATH...]",
		Short: "Run unit tests of agents",
		Long: `Run the tests in files that end in ` + agenttest.Ending + `: those named, and those in the
folders named, however deep; without any, in this folder. Nothing goes out: the
cassette of a case answers, or its mocks do.

Exit status: 1 when a case fails, 6 when all that fail asked for a call that is
not recorded.`,
		Example: `  tea test
  tea test agents/weather.test.yaml --run storm
  tea test --record                # make the recordings afresh
  tea test --junit report.xml`,
		PreRunE: func(c *cobra.Command, _ []string) error {
			return exclusive(c, []string{"record", "record-missing"})
		},
		RunE: func(c *cobra.Command, args []string) error { return a.test(c.Context(), args, f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.only, "run", "", "run only cases whose name matches this `PATTERN`, a regular expression")
	flags.BoolVar(&f.record, "record", false, "make all calls and record them afresh, for the cases that pass")
	flags.BoolVar(&f.recordMissing, "record-missing", false, "make and record the calls that are not recorded yet")
	flags.StringVar(&f.junit, "junit", "", "write a JUnit report to this `FILE`")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show what the agents log")
	return c
}

func (f testFlags) mode() cassette.Mode {
	switch {
	case f.record:
		return cassette.Record
	case f.recordMissing:
		return cassette.RecordMissing
	default:
		return cassette.Replay
	}
}

func (a *app) test(ctx context.Context, args []string, f testFlags) error {
	only, err := regexp.Compile(f.only)
	if err != nil {
		return usageError{fmt.Errorf("--run: %w", err)}
	}
	files, err := testFiles(args)
	if err != nil {
		return err
	}
	suites, err := readSuites(files)
	if err != nil {
		return err
	}
	level := slog.LevelError
	if f.verbose {
		level = slog.LevelDebug
	}
	o := agenttest.Options{Engine: *a.engineOptions(choices{level: level}), Mode: f.mode(), Only: only.MatchString, Now: a.now}
	var results []agenttest.Result
	for _, s := range suites {
		err := agenttest.Run(ctx, s, o, func(r agenttest.Result) {
			results = append(results, r)
			a.showResult(r)
		})
		if err != nil {
			return err
		}
	}
	if f.junit != "" {
		if err := writeJUnit(f.junit, results); err != nil {
			return err
		}
	}
	return a.sumUp(results)
}

// testFiles finds the files of tests that the arguments mean.
func testFiles(args []string) ([]string, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	var files []string
	for _, arg := range args {
		root := arg
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			root += string(filepath.Separator) // also where a link leads there
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (path == root || strings.HasSuffix(path, agenttest.Ending)) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, usageError{err}
		}
	}
	if len(files) == 0 {
		return nil, usageError{fmt.Errorf("no tests here: their files end in %s", agenttest.Ending)}
	}
	return files, nil
}

func readSuites(files []string) ([]*agenttest.Suite, error) {
	suites := make([]*agenttest.Suite, len(files))
	for i, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if suites[i], err = agenttest.Parse(file, src); err != nil {
			return nil, err
		}
	}
	return suites, nil
}

func writeJUnit(file string, results []agenttest.Result) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := agenttest.WriteJUnit(f, results); err != nil {
		_ = f.Close() // the first error says it
		return err
	}
	return f.Close()
}

// showResult writes the line of a case, and below it what does not hold.
func (a *app) showResult(r agenttest.Result) {
	verdict := "PASS"
	if !r.Passed() {
		verdict = "FAIL"
	}
	line := fmt.Sprintf("%s  %-40s  %6s  %d model, %d hit, %d miss", verdict, r.Case.Name,
		r.Duration.Round(time.Millisecond), r.Stats.Models, r.Stats.Hits, r.Stats.Misses)
	_ = a.println(line) // a reader that has gone does not change what holds
	for _, f := range r.Failures {
		_ = a.println("      " + strings.ReplaceAll(f.String(), "\n", "\n      "))
	}
}

// sumUp writes the last line, or says how many failed.
func (a *app) sumUp(results []agenttest.Result) error {
	failed, code := 0, actions.CodeReplayMiss
	for _, r := range results {
		if r.Passed() {
			continue
		}
		failed++
		if !r.Missed {
			code = actions.CodeFailed
		}
	}
	switch {
	case len(results) == 0:
		return usageError{errors.New("no case has a name that --run matches")}
	case failed > 0:
		return actions.Errorf(code, "%d of %s failed", failed, count(len(results), "test"))
	}
	return a.println(count(len(results), "test") + " passed")
}
