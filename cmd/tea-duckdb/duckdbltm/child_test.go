package duckdbltm_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"go.uber.org/goleak"

	"github.com/tea-agents/tea/cmd/tea-duckdb/duckdbltm"
	"github.com/tea-agents/tea/ltm/driver"
)

// What a child process of the tests does with the file or URL in childArg.
const (
	childTask = "TEA_TEST_DUCKDB_TASK"
	childArg  = "TEA_TEST_DUCKDB_ARG"
)

func TestMain(m *testing.M) {
	if task := os.Getenv(childTask); task != "" {
		if err := childTasks()[task](os.Getenv(childArg)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "duckdb") // for local copies of objects
	if err != nil {
		panic(err)
	}
	_ = os.Setenv("XDG_CACHE_HOME", dir)
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}), goleak.IgnoreAnyFunction("go.opencensus.io/stats/view.(*worker).start"))
}

func childTasks() map[string]func(arg string) error {
	return map[string]func(string) error{
		"put": putTwenty, "put until killed": putUntilKilled, "hold": hold, "full": fillUp, "only read": onlyRead,
	}
}

// child returns a process that does a task.
func child(t *testing.T, task, arg string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childTask+"="+task, childArg+"="+arg)
	return cmd
}

// runChild runs a process to its end.
func runChild(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func openRaw(ctx context.Context, raw string) (driver.Store, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(raw, duckdbltm.Engine().Prefix) {
		return duckdbltm.Engine().Open(ctx, u)
	}
	return duckdbltm.Open(ctx, u)
}

func record(key, v string) driver.Record {
	return driver.Record{Key: driver.Key{Key: key}, Value: []byte(v), Metadata: []byte("{}"), Terms: "word", UpdatedAt: 1}
}

func putTwenty(raw string) (err error) {
	ctx := context.Background()
	s, err := openRaw(ctx, raw)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for i := range 20 {
		if _, err := s.Put(ctx, record(fmt.Sprint(os.Getpid(), " ", i), "v"), driver.Condition{}); err != nil {
			return err
		}
	}
	return nil
}

// putUntilKilled puts, and prints each key that was acknowledged.
func putUntilKilled(raw string) error {
	ctx := context.Background()
	s, err := openRaw(ctx, raw)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		key := fmt.Sprint(os.Getpid(), " ", i)
		if _, err := s.Put(ctx, record(key, strings.Repeat(key, 1+i%2000)), driver.Condition{}); err != nil {
			return err
		}
		if _, err := fmt.Println(key); err != nil {
			return err
		}
	}
}

// hold keeps a file open as any program with DuckDB would, until its input ends.
// A path that ends with READ_ONLY is opened so.
func hold(path string) error {
	path, readOnly := strings.CutSuffix(path, " READ_ONLY")
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return err
	}
	defer db.Close()
	for {
		_, err := db.Exec(fmt.Sprintf("ATTACH '%s' AS held (READ_ONLY %t)", path, readOnly))
		if err == nil {
			break
		}
		if !strings.Contains(err.Error(), "Could not set lock") {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// held begins to hold a file by another process.
func held(t *testing.T, path string) (end func()) {
	t.Helper()
	cmd := child(t, "hold", path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(line, err)
	}
	return func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// killed runs a process that puts, kills it a while after its first put, and
// returns what it was told that is stored.
func killed(t *testing.T, raw string, after time.Duration) []string {
	t.Helper()
	cmd := child(t, "put until killed", raw)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var told []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if told = append(told, lines.Text()); len(told) == 1 {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait()
	if len(told) == 0 {
		t.Fatal(errs.String())
	}
	return told
}
