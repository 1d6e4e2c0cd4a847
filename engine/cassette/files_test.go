package cassette

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/engine/cassette/internal/files"
)

func TestACassetteMayBeWrittenByHand(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	overwrite(t, path, []byte(`# what the model is to say
format: 1
calls:
- provider: openai
  request: {model: gpt-4o, messages: [{role: user, content: 'hi'}]}
  response:
    text_response: hello
    body: {content: hello}
...
`))
	if got := served(t, begin(t, path, Options{Mode: Replay}), ask("hi")); got != "hello" {
		t.Errorf("got %q", got)
	}
}

func TestWritingKeepsLinksAndPermissions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.yaml"), filepath.Join(dir, "link.yaml")
	overwrite(t, target, []byte("old"))
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	record(t, link, Options{}, call(ask("a"), says("a")))
	sameTexts(t, target, "a")
	info, err := os.Lstat(target)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestWhatKilledWritersLeftIsSwept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, young, other := filepath.Join(dir, ".c.yaml.1.tea-tmp"), filepath.Join(dir, ".c.yaml.2.tea-tmp"), filepath.Join(dir, "mine.tmp")
	for _, path := range []string{old, young, other} {
		overwrite(t, path, []byte("x"))
		if path != young {
			if err := os.Chtimes(path, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
	}
	files.Sweep(dir)
	for path, want := range map[string]bool{old: false, young: true, other: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestWhereNothingCanBeWrittenFinishSaysSo(t *testing.T) {
	t.Parallel()
	blocked := filepath.Join(t.TempDir(), "file")
	overwrite(t, blocked, nil)
	for _, path := range []string{filepath.Join(blocked, "c.yaml"), filepath.Join(blocked, "c")} {
		s, err := New(path, &Options{Mode: RecordMissing})
		if err == nil {
			add(t, s, ask("a"), says("a"))
			err = s.Finish(true)
		}
		if err == nil {
			t.Errorf("%s: nothing was said", path)
		}
	}
}

func TestCallsAreKeptBesideADamagedCassette(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	record(t, path, Options{}, call(ask("a"), says("a")))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, path, bytes.Replace(data, []byte("    duration:"), []byte("    duratoin:"), 1))
	s := begin(t, path, Options{Mode: RecordMissing})
	add(t, s, ask("b"), says("b"))
	if err := s.Finish(true); !isOnly(err, ErrUnreadable) || !strings.Contains(err.Error(), path+suffixFailed) || !strings.Contains(err.Error(), `did you mean "duration"?`) {
		t.Errorf("%v", err)
	}
	sameTexts(t, path+suffixFailed, "b")
}

// FuzzFile holds that no text makes trouble, and that what is read lazily is
// what is read whole.
func FuzzFile(f *testing.F) {
	seed, err := os.ReadFile("testdata/document.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte(`{"format": 1, "calls": [{"provider": "", "sha256": "x", "request": 1, "response": {}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, path := range []string{"c.yaml", "c.json"} {
			s := &file{path: path, form: formOf(path)}
			c, err := s.parse(data)
			if err != nil {
				continue
			}
			got, err := calls(c.entries)
			if err != nil {
				continue
			}
			for i, e := range c.entries {
				if e.sum != got[i].Hash || e.complete != got[i].Complete || e.id != got[i].ID {
					t.Fatalf("call %d is indexed as %q %q %v, but is %q %q %v", i, e.sum, e.id, e.complete, got[i].Hash, got[i].ID, got[i].Complete)
				}
			}
		}
	})
}
