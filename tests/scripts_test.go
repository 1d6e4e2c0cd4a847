package tests

import (
	"database/sql"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tea-agents/tea"
	"github.com/tea-agents/tea/tests/standins"
)

var update = flag.Bool("update", false, "write the expected output of cmp into the stories")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tea": func() {
			standins.Reroute()
			tea.Main(tea.WithActions(standins.Actions()...))
		},
	})
}

// TestScripts runs the stories in scripts/: what the command does, as a user
// would type it.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "scripts",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			serve(t, e)
			return setup(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"calls": calls, "down": down, "lock": lock},
	})
}

// setup gives every story a home of its own and the examples.
func setup(e *testscript.Env) error {
	e.Setenv("HOME", e.WorkDir)
	e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "data"))
	e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
	e.Setenv("STANDIN_CALLS", filepath.Join(e.WorkDir, "calls"))
	e.Setenv("API_KEY", "not really a key")
	e.Setenv("MCP_TOKEN", "not really a token")
	e.Setenv(noSleep())
	examples, err := filepath.Abs("../examples")
	if err != nil {
		return err
	}
	return os.Symlink(examples, filepath.Join(e.WorkDir, "examples"))
}

// noSleep is the variable by which a command under the race detector ends at
// once, and not a second later.
func noSleep() (name, text string) { return "GORACE", "atexit_sleep_ms=0" }

// calls N [ACTION] holds that stand-ins and services, or one of them, were
// called N times so far.
func calls(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: calls N [ACTION]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	data, err := os.ReadFile(ts.Getenv("STANDIN_CALLS"))
	if err != nil && !os.IsNotExist(err) {
		ts.Fatalf("%v", err)
	}
	action := strings.Join(args[1:], "")
	got := servicesOf(ts).calls(action)
	for line := range strings.Lines(string(data)) {
		if action == "" || strings.TrimSpace(line) == action {
			got++
		}
	}
	if got != want {
		ts.Fatalf("called %d times, want %d", got, want)
	}
}

// lock FILE holds the write lock of an SQLite file until the story ends.
func lock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lock FILE")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	db.SetMaxOpenConns(1)
	_, err = db.Exec("BEGIN IMMEDIATE")
	ts.Check(err)
	ts.Defer(func() { ts.Check(db.Close()) })
}
