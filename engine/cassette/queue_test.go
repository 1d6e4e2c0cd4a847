package cassette

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnswersComeInRecordedOrder(t *testing.T) {
	t.Parallel()
	for name, path := range forms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
	for name, path := range forms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
}
