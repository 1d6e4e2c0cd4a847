package cassette

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
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

// eachForm runs a test on a cassette of every form.
func eachForm(t *testing.T, f func(t *testing.T, path string)) {
	t.Helper()
	for name, path := range forms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, path)
		})
	}
}

func TestRecordWritesAfresh(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, path string) {
		record(t, path, Options{Test: "T"}, call(ask("hi"), says("old")), call(ask("gone"), says("old too")))
		record(t, path, Options{Test: "T"}, call(ask("hi"), says("new")))
		sameTexts(t, path, "new")
	})
}

func TestRecordOfAFailedRunStandsBeside(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, path string) {
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

func TestRecordWithoutACallLeavesTheOldFile(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, path string) {
		record(t, path, Options{Test: "T"}, call(ask("hi"), says("old")))
		record(t, path, Options{Test: "T"})
		sameTexts(t, path, "old")
	})
}

func TestRecordNeverServes(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, path string) {
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

func TestRecordMissingAppends(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, path string) {
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

func TestRecordMissingTwiceAtOnceLosesNothing(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, path string) {
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

func TestAnswersComeInRecordedOrder(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, path string) {
		record(t, path, Options{}, call(ask("a"), says("1")), call(ask("b"), says("x")), call(ask("a"), says("2")), call(ask("a"), says("3")))
		s := begin(t, path, Options{Mode: Replay})
		for _, want := range []string{"1", "2", "3"} {
			if got := served(t, s, ask("a")); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		_, err := s.Lookup(ask("a"))
		var miss *ReplayMissError
		if !errors.As(err, &miss) || miss.Recorded != 3 || !strings.Contains(err.Error(), "3 times") {
			t.Errorf("exhausted: %v", err)
		}
		last := begin(t, path, Options{Mode: Replay, OnExhausted: "last"})
		for _, want := range []string{"1", "2", "3", "3", "3"} {
			if got := served(t, last, ask("a")); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		missing := begin(t, path, Options{Mode: RecordMissing})
		for _, want := range []string{"1", "2", "3", "(to be made)"} {
			if got := served(t, missing, ask("a")); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

func TestEqualRequestsOfBranchesKeepTheirAnswers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	record(t, path, Options{}, call(askAs("left", "a"), says("L")), call(askAs("right", "a"), says("R")), call(askAs("right", "b"), says("B")))
	for _, c := range []struct{ ids, want string }{
		{"left right", "L R"}, {"right left", "R L"}, {"right x", "R L"}, {"x right", "L R"}, {"x y", "L R"}, {"x left", "L R"},
	} {
		s := begin(t, path, Options{Mode: Replay})
		var got []string
		for _, id := range strings.Fields(c.ids) {
			got = append(got, served(t, s, askAs(id, "a")))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, want %s", c.ids, got, c.want)
		}
	}
}

func TestIncompleteAnswersAreNotReplayed(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, path string) {
		cut := says("hal")
		cut.Complete = false
		record(t, path, Options{}, call(ask("a"), cut))
		_, err := begin(t, path, Options{Mode: Replay}).Lookup(ask("a"))
		var miss *ReplayMissError
		if !errors.As(err, &miss) || miss.Incomplete != 1 || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("%v", err)
		}
		if got := served(t, begin(t, path, Options{Mode: Replay, AllowIncomplete: true}), ask("a")); got != "hal" {
			t.Errorf("allowed: %q", got)
		}
		s := begin(t, path, Options{Mode: RecordMissing})
		add(t, s, ask("a"), says("half"))
		finish(t, s, true)
		sameTexts(t, path, "half")
	})
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

func TestOptionsThatCannotBe(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]Options{
		"on_exhausted":              {OnExhausted: "loop"},
		"speed":                     {ReplaySpeed: -1},
		"speed is NaN":              {ReplaySpeed: math.NaN()},
		"Mode(9)":                   {Mode: 9},
		`did you mean "trim_space"`: {Normalize: []string{"trim_spaec"}},
		"round_floats:3":            {Normalize: []string{"round_floats:x"}},
		"drop:$.":                   {Normalize: []string{"drop:messages"}},
		"no argument":               {Normalize: []string{"lower:1"}},
	} {
		if _, err := New("c.yaml", &o); !isOnly(err, ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	if _, err := ParseMode("recrod"); !isOnly(err, ErrConfig) || !strings.Contains(err.Error(), `did you mean "record"?`) {
		t.Errorf("%v", err)
	}
	for _, name := range modeNames() {
		if m, err := ParseMode(name); err != nil || m.String() != name {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}

func TestHashingIsPrecise(t *testing.T) {
	t.Parallel()
	sums := map[string]string{}
	for _, text := range []string{`{"t":0.7,"c":"Hello world"}`, `{"t":0.7000001,"c":"Hello world"}`, `{"t":0.7,"c":"Hello   world\n"}`, `{"t":0.7,"c":"hello world"}`, `{"t":0.7,"c":"Hello world","n":null}`, `{"t":1,"c":""}`, `{"t":1.0,"c":""}`} {
		sum, err := hash(mustParse(t, text), nil)
		if other := sums[sum]; err != nil || other != "" {
			t.Errorf("%s and %s: %v", text, other, err)
		}
		sums[sum] = text
	}
	a, _ := hash(mustParse(t, `{"a":1,"b":2}`), nil)
	b, _ := hash(mustParse(t, `{ "b": 2, "a": 1 }`), nil)
	if a != b || len(a) != fullHash {
		t.Error("the order of keys counts")
	}
}

func TestNormalizersAreDeclared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ step, a, b, other string }{
		{"trim_space", `{"c":" a b\n"}`, `{"c":"a b"}`, `{"c":"a  b"}`},
		{"collapse_space", `{"c":" a \n b"}`, `{"c":"a b"}`, `{"c":"ab"}`},
		{"lower", `{"c":["Ab"]}`, `{"c":["aB"]}`, `{"c":["c"]}`},
		{"round_floats:2", `{"t":0.70001}`, `{"t":0.7}`, `{"t":0.71}`},
		{"drop:$.m.id", `{"m":{"id":1,"x":2}}`, `{"m":{"x":2}}`, `{"m":{"x":3}}`},
		{"drop:$.l.*.id", `{"l":[{"id":1},{"id":2,"x":1}]}`, `{"l":[{},{"x":1}]}`, `{"l":[{},{}]}`},
		{"drop:$.l.0", `{"l":[1,2]}`, `{"l":[9,2]}`, `{"l":[1]}`},
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		asking := func(text string) Request { return Request{Provider: "x", Key: mustParse(t, text)} }
		record(t, path, Options{Normalize: []string{c.step}}, call(asking(c.a), says("yes")))
		s := begin(t, path, Options{Mode: Replay})
		if got := served(t, s, asking(c.b)); got != "yes" {
			t.Errorf("%s: %q", c.step, got)
		}
		if _, err := s.Lookup(asking(c.other)); err == nil {
			t.Errorf("%s: %s is not %s", c.step, c.other, c.a)
		}
		if _, err := New(path, &Options{Mode: Replay, Normalize: []string{"lower", "trim_space"}}); !isOnly(err, ErrConfig) || !strings.Contains(err.Error(), c.step) {
			t.Errorf("other normalisers: %v", err)
		}
	}
}

func TestReplaySpeed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	res := says("ab")
	res.Chunks = []Chunk{{Bytes: []byte("a"), After: 100 * time.Millisecond}, {Bytes: []byte("b"), After: 300 * time.Millisecond}}
	record(t, path, Options{}, call(ask("a"), res))
	for speed, want := range map[float64]time.Duration{0: 0, 1: 300 * time.Millisecond, 4: 75 * time.Millisecond, 0.5: 600 * time.Millisecond} {
		var slept time.Duration
		s := begin(t, path, Options{Mode: Replay, ReplaySpeed: speed, Sleep: func(_ context.Context, d time.Duration) error { slept += d; return nil }})
		if _, err := s.Do(t.Context(), ask("a"), nil, nil); err != nil || slept != want {
			t.Errorf("speed %v: slept %v, want %v, %v", speed, slept, want, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := begin(t, path, Options{Mode: Replay, ReplaySpeed: 1}).Do(ctx, ask("a"), nil, nil); !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
}

func TestDoKeepsFailuresAndNotErrors(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	s := begin(t, path, Options{Mode: Record})
	boom := errors.New("boom")
	live := func(res Response, err error) func(context.Context, func(Chunk)) (Response, error) {
		return func(context.Context, func(Chunk)) (Response, error) { return res, err }
	}
	failed := Response{Failure: &Failure{Code: "unavailable", Message: "busy", RetryAfter: 2 * time.Second}, Complete: true}
	if _, err := s.Do(t.Context(), ask("a"), nil, live(failed, boom)); !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
	if _, err := s.Do(t.Context(), ask("b"), nil, live(Response{}, boom)); !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
	finish(t, s, true)
	replayed := begin(t, path, Options{Mode: Replay})
	res, err := replayed.Do(t.Context(), ask("a"), nil, nil)
	if err != nil || res.Failure == nil || *res.Failure != *failed.Failure {
		t.Errorf("%+v, %v", res.Failure, err)
	}
	if _, err := replayed.Do(t.Context(), ask("b"), nil, nil); err == nil {
		t.Error("an error was recorded")
	}
}

func TestConcurrentCallersAreSafe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	const callers, rounds = 16, 8
	all := func(s *Session, live bool) {
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				for j := range rounds {
					id := fmt.Sprint(i, ".", j)
					res, err := s.Do(t.Context(), askAs(id, fmt.Sprint(j)), nil, func(context.Context, func(Chunk)) (Response, error) {
						if !live {
							t.Error("a call was made")
						}
						return says(id), nil
					})
					if err != nil || res.Text != id {
						t.Errorf("%s: %q, %v", id, res.Text, err)
					}
				}
			})
		}
		wg.Wait()
		finish(t, s, true)
	}
	all(begin(t, path, Options{Mode: Record}), true)
	all(begin(t, path, Options{Mode: Replay}), false)
}
