package cassette

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeTB is a test whose end can be watched.
type fakeTB struct {
	name     string
	failed   bool
	fatal    string
	cleanups []func()
}

func (*fakeTB) Helper()                        {}
func (f *fakeTB) Cleanup(c func())             { f.cleanups = append(f.cleanups, c) }
func (f *fakeTB) Fatalf(text string, a ...any) { f.fatal, f.failed = fmt.Sprintf(text, a...), true }
func (f *fakeTB) Failed() bool                 { return f.failed }
func (f *fakeTB) Name() string                 { return f.name }
func (f *fakeTB) end() {
	for _, c := range f.cleanups {
		c()
	}
}

// env is an environment of these variables.
func env(pairs ...string) Option {
	return WithEnv(func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	})
}

func TestOpenOfATest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(failed bool, calls []string, vars ...string) (*fakeTB, *Session) {
		tb := &fakeTB{name: "TestAgent/it works: well"}
		s := Open(tb, "", env(append(vars, EnvDir, dir)...))
		for _, word := range calls {
			_, err := s.Do(context.Background(), ask(word), nil, func(context.Context, func(Chunk)) (Response, error) { return says(word), nil })
			if err != nil {
				tb.Fatalf("%v", err)
			}
		}
		tb.failed = tb.failed || failed
		tb.end()
		return tb, s
	}
	path := filepath.Join(dir, "TestAgent", "it_works_well.yaml")
	if tb, _ := run(false, []string{"a", "b"}, EnvMode, "record"); tb.fatal != "" {
		t.Fatal(tb.fatal)
	}
	sameTexts(t, path, "a", "b")
	if tb, s := run(false, []string{"a", "b"}); tb.fatal != "" || s.Mode() != Replay || s.Made() != 0 {
		t.Errorf("%v, %d calls made: %s", s.Mode(), s.Made(), tb.fatal)
	}
	if tb, _ := run(false, []string{"c"}); !strings.Contains(tb.fatal, "TEA_LLM_MODE=record go test -run '^TestAgent$/^it works: well$'") {
		t.Errorf("a miss: %s", tb.fatal)
	}
	run(true, []string{"b", "c"}, EnvMode, "record-missing")
	sameTexts(t, path, "a", "b", "c")
	run(false, []string{"b", "c"}, EnvMode, "record-missing")
	sameTexts(t, path, "b", "c")
	run(true, []string{"x"}, EnvMode, "record")
	sameTexts(t, path, "b", "c")
	c, err := Read(path + suffixFailed)
	if err != nil || c.Test != "TestAgent/it works: well" || c.Suite != "cassette" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for want, o := range map[string][]Option{
		EnvMode:               {env(EnvMode, "recrod")},
		"no such cassette":    {env(EnvDir, dir)},
		"TEA_LLM_MODE=record": {env(EnvDir, dir)},
		"trim":                {env(EnvDir, dir), WithNormalize("trim")},
	} {
		tb := &fakeTB{name: "TestX"}
		if s := Open(tb, "", o...); s != nil || !strings.Contains(tb.fatal, want) {
			t.Errorf("%q, want %q", tb.fatal, want)
		}
	}
}

func TestTheOptionWinsOverTheEnvironment(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mine.json")
	s := Open(t, path, env(EnvMode, "replay", EnvDir, "/nowhere"), WithMode(RecordMissing), WithOptions(func(o *Options) { o.Now = clock }))
	if s.Mode() != RecordMissing || s.Path() != path {
		t.Errorf("%v %s", s.Mode(), s.Path())
	}
}

func TestForbidCallsFailsTheTest(t *testing.T) {
	t.Parallel()
	for _, calls := range []int{0, 1} {
		tb := &fakeTB{name: "TestX"}
		s := Open(tb, "", env(EnvDir, t.TempDir()), ForbidCalls())
		for range calls {
			if _, err := s.Lookup(ask("a")); !errors.Is(err, ErrForbidden) {
				t.Error(err)
			}
		}
		tb.end()
		if tb.failed != (calls > 0) {
			t.Errorf("%d calls: %q", calls, tb.fatal)
		}
	}
}

func TestFileNamesOfTests(t *testing.T) {
	t.Parallel()
	for test, want := range map[string]string{
		"TestA":             "TestA",
		"TestA/sub_case#01": "TestA/sub_case_01",
		"TestA/../../etc":   "TestA/__/__/etc",
		"TestÄ/a b":         "Test_/a_b",
		`TestA/c:\d`:        "TestA/c_d",
	} {
		if got := fileName(test); got != want {
			t.Errorf("%s: %s, want %s", test, got, want)
		}
	}
}

func TestTouchedAndPrune(t *testing.T) {
	t.Parallel()
	for name, path := range forms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := filepath.Join(t.TempDir(), "touched")
			record(t, path, Options{}, call(ask("a"), says("a")), call(ask("b"), says("b")), call(ask("c"), says("c")))
			for _, word := range []string{"a", "c"} {
				s := begin(t, path, Options{Mode: Replay, Touched: list})
				served(t, s, ask(word))
				finish(t, s, true)
			}
			touched, err := ReadTouched(list)
			if err != nil || len(touched) != 1 || len(touched[path]) != 2 {
				t.Fatalf("%v, %v", touched, err)
			}
			for _, apply := range []bool{false, true} {
				dropped, err := Prune(path, touched[path], apply)
				if err != nil || len(dropped) != 1 || dropped[0].Text != "b" {
					t.Fatalf("%v, %v", dropped, err)
				}
			}
			sameTexts(t, path, "a", "c")
			if _, err := Prune(path, nil, true); !isOnly(err, ErrConfig) {
				t.Errorf("nothing touched: %v", err)
			}
			sameTexts(t, path, "a", "c")
		})
	}
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("what\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTouched(bad); err == nil {
		t.Error("a list of something else was read")
	}
}
