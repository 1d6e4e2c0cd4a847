package blobsqliteltm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

// childJob names in the environment what a child process does: the name of its
// keys, how many it puts, and the URL of the store.
const childJob = "TEA_TEST_BLOBSQLITE"

// child puts records one after another and prints the number of each that was
// acknowledged.
func child(job string) int {
	parts := strings.SplitN(job, " ", 3)
	n, err := strconv.Atoi(parts[1])
	if err == nil {
		err = putMany(parts[2], parts[0], n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func putMany(raw, who string, n int) error {
	ctx := context.Background()
	u, err := parseURL(raw)
	if err != nil {
		return err
	}
	s, err := Open(ctx, u)
	if err != nil {
		return err
	}
	for i := range n {
		if _, err := s.Put(ctx, rec(fmt.Sprint(who, "-", i), "v"), driver.Condition{Absent: true}); err != nil {
			return fmt.Errorf("put %d: %w", i, err)
		}
		fmt.Println(i)
	}
	return s.Close()
}

func command(t *testing.T, raw, who string, n int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", childJob, who, n, raw))
	return cmd
}

// TestProcessesLoseNoUpdate has eight processes put records into one file.
func TestProcessesLoseNoUpdate(t *testing.T) {
	t.Parallel()
	const processes = 8
	each := soak(200)
	for name, start := range places() {
		t.Run(name, func(t *testing.T) {
			raw := with(start(t)("shared.db"), "timeout=10m")
			began := time.Now()
			var wg sync.WaitGroup
			for i := range processes {
				wg.Go(func() {
					if out, err := command(t, raw, fmt.Sprint(i), each).CombinedOutput(); err != nil {
						t.Errorf("%v: %s", err, out)
					}
				})
			}
			wg.Wait()
			took := time.Since(began)
			s := openURL(t, raw)
			got := count(t, s)
			t.Logf("%s: %d of %d puts present, %v, %.1f puts/s", name, got, processes*each, took.Round(time.Millisecond),
				float64(processes*each)/took.Seconds())
			if got != processes*each {
				t.Errorf("%d records, want %d", got, processes*each)
			}
			if revision, err := driver.Revision(t.Context(), s); err != nil || revision != int64(processes*each) {
				t.Errorf("revision %d, %v: a put was done twice", revision, err)
			}
		})
	}
}

// TestKillInPush kills a process in the middle of its pushes, again and again:
// the bucket holds a whole file with everything acknowledged.
func TestKillInPush(t *testing.T) {
	t.Parallel()
	kills := soak(400)
	for name, start := range places() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := with(start(t)("killed.db"), "max_staleness=0")
			s := openURL(t, raw)
			acknowledged, present := 0, 0
			for i := range kills {
				who := fmt.Sprint("k", i)
				n := killed(t, raw, who, time.Duration(i*7%50)*time.Millisecond)
				for k := range n {
					want(t, s, fmt.Sprint(who, "-", k), "v")
				}
				acknowledged += n
				present = count(t, s)
				if present < acknowledged || present > acknowledged+i+1 {
					t.Fatalf("after %d kills %d records, %d acknowledged", i+1, present, acknowledged)
				}
			}
			t.Logf("%s: %d kills, %d acknowledged, %d present", name, kills, acknowledged, present)
		})
	}
}

// killed runs a child, kills it some time after its first put was acknowledged,
// and returns how many were.
func killed(t *testing.T, raw, who string, after time.Duration) int {
	t.Helper()
	cmd := command(t, raw, who, 1<<20)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n, buf := 0, make([]byte, 4096)
	read := func() bool {
		got, err := out.Read(buf)
		n += strings.Count(string(buf[:got]), "\n")
		return err == nil
	}
	read()
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	for read() {
	}
	_ = cmd.Wait() // it was killed
	return n
}
