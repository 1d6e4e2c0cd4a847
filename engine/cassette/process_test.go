package cassette

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const helperVariable = "TEA_CASSETTE_TEST_HELPER"

// TestMain lets the test binary be the other process of a test.
func TestMain(m *testing.M) {
	if what := os.Getenv(helperVariable); what != "" {
		if err := helperProcess(what, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// helper returns a process that does what helperProcess says.
func helper(t *testing.T, what string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), helperVariable+"="+what)
	cmd.Stderr = os.Stderr
	return cmd
}

func helperProcess(what string, args []string) error {
	switch what {
	case "append": // path, name, number of calls: each in a session of its own
		n, err := strconv.Atoi(args[2])
		for i := 0; i < n && err == nil; i++ {
			err = session(args[0], RecordMissing, fmt.Sprint(i), args[1]+" "+fmt.Sprint(i))
		}
		return err
	default: // path: records generations until it is killed
		fmt.Println("ready")
		for generation := 1; ; generation++ {
			text := strings.Repeat(fmt.Sprint("generation ", generation, "\n"), 200)
			if err := session(args[0], Record, "a b c", text); err != nil {
				return err
			}
		}
	}
}

// session records the same answer to each of some words.
func session(path string, mode Mode, words, answer string) error {
	s, err := New(path, &Options{Mode: mode})
	if err != nil {
		return err
	}
	for word := range strings.FieldsSeq(words) {
		if _, err := s.Lookup(ask(word)); err != nil {
			return err
		}
		if err := s.Add(ask(word), says(answer)); err != nil {
			return err
		}
	}
	return s.Finish(true)
}

// TestAKillLeavesTheOldFileOrTheNewOne kills a recorder at any moment.
func TestAKillLeavesTheOldFileOrTheNewOne(t *testing.T) {
	t.Parallel()
	kills := 50
	if os.Getenv("TEA_SOAK") == "1" {
		kills = 1000
	}
	paths := forms(t)
	for _, path := range paths {
		if err := session(path, Record, "a b c", "first"); err != nil {
			t.Fatal(err)
		}
	}
	names := sortedKeys(paths)
	for i := range kills {
		path := paths[names[i%len(names)]]
		killed(t, helper(t, "record", path))
		all, err := readAll(path)
		if err != nil || len(all) != 3 {
			t.Fatalf("after kill %d: %d calls, %v", i, len(all), err)
		}
		for _, c := range all {
			if formOf(path) != formDir && c.Text != all[0].Text || strings.Count(c.Text, "\n") != 200 && c.Text != "first" {
				t.Fatalf("after kill %d: calls of two recordings in one file", i)
			}
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(paths["yaml"]), ".c.*"))
	if err != nil || len(left) > kills {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// killed starts a process, waits until it is ready, and kills it a moment later.
func killed(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	time.Sleep(rand.N(20 * time.Millisecond)) // the moment is what the test varies
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, as it was meant to be
}
