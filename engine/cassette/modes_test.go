package cassette

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forms are the paths of cassettes of every form.
func forms(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	return map[string]string{"yaml": filepath.Join(dir, "c.yaml"), "json": filepath.Join(dir, "c.json"), "directory": filepath.Join(dir, "c")}
}

// texts lists what a cassette answers, in recorded order.
func texts(t *testing.T, path string) []string {
	t.Helper()
	all, err := readAll(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range all {
		got = append(got, c.Text)
	}
	return got
}

func sameTexts(t *testing.T, path string, want ...string) {
	t.Helper()
	got := texts(t, path)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s answers %q, want %q", path, got, want)
	}
}

func TestRecordWritesAfresh(t *testing.T) {
	t.Parallel()
	for name, path := range forms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record(t, path, Options{Test: "T"}, call(ask("hi"), says("old")), call(ask("gone"), says("old too")))
			record(t, path, Options{Test: "T"}, call(ask("hi"), says("new")))
			sameTexts(t, path, "new")
		})
	}
}

func TestRecordOfAFailedRunStandsBeside(t *testing.T) {
	t.Parallel()
	for name, path := range forms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record(t, path, Options{Test: "T"}, call(ask("hi"), says("old")))
			for _, text := range []string{"bad", "worse"} {
				s := begin(t, path, Options{Mode: Record, Test: "T"})
				add(t, s, ask("hi"), says(text))
				finish(t, s, false)
			}
			sameTexts(t, path, "old")
			sameTexts(t, path+".failed", "worse")
		})
	}
}

func TestRecordWithoutACallLeavesTheOldFile(t *testing.T) {
	t.Parallel()
	for name, path := range forms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record(t, path, Options{Test: "T"}, call(ask("hi"), says("old")))
			record(t, path, Options{Test: "T"})
			sameTexts(t, path, "old")
		})
	}
}

func TestRecordNeverServes(t *testing.T) {
	t.Parallel()
	for name, path := range forms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record(t, path, Options{}, call(ask("hi"), says("old")))
			s := begin(t, path, Options{Mode: Record})
			add(t, s, ask("hi"), says("new"))
			add(t, s, ask("hi"), says("newer"))
			finish(t, s, true)
			if got := texts(t, path); !slices.Equal(got, []string{"new", "newer"}) {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestRecordMissingAppends(t *testing.T) {
	t.Parallel()
	for name, path := range forms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, passed := range []bool{true, false} {
				word := fmt.Sprint(passed)
				s := begin(t, path, Options{Mode: RecordMissing})
				add(t, s, ask(word), says(word))
				finish(t, s, passed)
			}
			s := begin(t, path, Options{Mode: RecordMissing})
			if got := served(t, s, ask("true")); got != "true" {
				t.Errorf("got %q", got)
			}
			finish(t, s, true)
			sameTexts(t, path, "true", "false")
		})
	}
}

func TestRecordMissingTwiceAtOnceLosesNothing(t *testing.T) {
	t.Parallel()
	for name, path := range forms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record(t, path, Options{}, call(ask("0"), says("0")))
			a, b := begin(t, path, Options{Mode: RecordMissing}), begin(t, path, Options{Mode: RecordMissing})
			add(t, a, ask("1"), says("1"))
			add(t, b, ask("2"), says("2"))
			add(t, b, ask("1"), says("1 again"))
			finish(t, a, true)
			finish(t, b, true)
			sameTexts(t, path, "0", "1", "2", "1 again")
		})
	}
}

func TestPruningRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		mode    Mode
		prune   bool
		touches bool
		passed  bool
		want    []string
	}{
		{"record-missing, passed, touched", RecordMissing, true, true, true, []string{"a"}},
		{"record-missing, failed", RecordMissing, true, true, false, []string{"a", "b"}},
		{"record-missing, nothing touched", RecordMissing, true, false, true, []string{"a", "b"}},
		{"record-missing, not asked for", RecordMissing, false, true, true, []string{"a", "b"}},
		{"replay never", Replay, true, true, true, []string{"a", "b"}},
		{"live never", Live, true, true, true, []string{"a", "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range forms(t) {
				record(t, path, Options{}, call(ask("a"), says("a")), call(ask("b"), says("b")))
				s := begin(t, path, Options{Mode: c.mode, Prune: c.prune})
				if c.touches {
					served(t, s, ask("a"))
				}
				finish(t, s, c.passed)
				sameTexts(t, path, c.want...)
			}
		})
	}
}

func TestReplayWritesNothing(t *testing.T) {
	t.Parallel()
	for _, path := range forms(t) {
		record(t, path, Options{}, call(ask("a"), says("a")))
		files := func() (all []string) {
			_ = filepath.WalkDir(filepath.Dir(path), func(p string, d os.DirEntry, _ error) error {
				info, _ := d.Info()
				all = append(all, fmt.Sprint(p, info.Size(), info.ModTime()))
				return nil
			})
			return all
		}
		before := files()
		s := begin(t, path, Options{Mode: Replay})
		served(t, s, ask("a"))
		if err := s.Add(ask("z"), says("z")); err != nil {
			t.Error(err)
		}
		finish(t, s, true)
		if after := files(); !slices.Equal(before, after) {
			t.Errorf("before %q\nafter  %q", before, after)
		}
	}
}

func TestLiveNeedsNoFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "none", "c.yaml")
	s := begin(t, path, Options{})
	add(t, s, ask("a"), says("a"))
	finish(t, s, true)
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) || s.Made() != 1 || len(s.Calls()) != 1 || s.Mode() != Live {
		t.Errorf("%v, made %d, %d calls", err, s.Made(), len(s.Calls()))
	}
}

func TestReplayNeedsTheFile(t *testing.T) {
	t.Parallel()
	for _, path := range forms(t) {
		_, err := New(path, &Options{Mode: Replay, RecordCommand: "tea run --record"})
		if !isOnly(err, ErrMissing) || !strings.Contains(err.Error(), "tea run --record") || !strings.Contains(err.Error(), path) || !IsConfig(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestForbid(t *testing.T) {
	t.Parallel()
	s := begin(t, filepath.Join(t.TempDir(), "none.yaml"), Options{Mode: Replay, Forbid: true})
	if _, err := s.Lookup(ask("a")); !isOnly(err, ErrForbidden) || !strings.Contains(err.Error(), "gpt-4o") {
		t.Errorf("%v", err)
	}
	if n := len(s.Calls()); n != 1 {
		t.Errorf("%d calls are known, want 1", n)
	}
}

func TestTheEndOfASession(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []Mode{Record, Replay, Live} {
		s := begin(t, path, Options{Mode: mode})
		if mode == Record {
			add(t, s, ask("a"), says("a"))
		}
		finish(t, s, true)
		finish(t, s, false)
		if _, err := s.Lookup(ask("a")); !isOnly(err, ErrClosed) {
			t.Errorf("%v: Lookup: %v", mode, err)
		}
		if err := s.Add(ask("a"), says("a")); !isOnly(err, ErrClosed) {
			t.Errorf("%v: Add: %v", mode, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%v: Close: %v", mode, err)
		}
	}
	s := begin(t, path, Options{Mode: Record})
	add(t, s, ask("a"), says("unfinished"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	sameTexts(t, path, "a")
	sameTexts(t, path+".failed", "unfinished")
}
