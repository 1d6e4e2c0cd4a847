package cli

import (
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/sqliteltm"
	"github.com/tea-agents/tea/value"
)

// shelf is a user with a memory in a file.
type shelf struct {
	t    *testing.T
	path string
	in   string // standard input
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	return &shelf{t: t, path: filepath.Join(t.TempDir(), "memory.db")}
}

// run runs tea with args.
func (s *shelf) run(args ...string) (stdout, stderr string, status int) {
	s.t.Helper()
	var out, problems strings.Builder
	app := &app{streams: streams{in: strings.NewReader(s.in), out: &out, err: &problems}, now: time.Now, ltm: s.path}
	root := &cobra.Command{Use: "tea", SilenceErrors: true, SilenceUsage: true}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	group(root, app.ltmCommand(), app.cacheCommand())
	for _, c := range root.Commands() {
		markUsageErrors(c)
	}
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&problems)
	status = app.report(root.ExecuteContext(s.t.Context()))
	return out.String(), problems.String(), status
}

// ok runs a command line that must succeed.
func (s *shelf) ok(line string) string {
	s.t.Helper()
	out, problems, status := s.run(strings.Fields(line)...)
	if status != 0 {
		s.t.Errorf("%s: exit %d: %s", line, status, problems)
	}
	return out
}

// fails runs a command line that must end with a status and say why.
func (s *shelf) fails(status int, says, line string) {
	s.t.Helper()
	out, problems, got := s.run(strings.Fields(line)...)
	if got != status || !strings.Contains(out+problems, says) {
		s.t.Errorf("%s: exit %d, %s%s, want %d, %s", line, got, out, problems, status, says)
	}
}

// damage stores rows as no ltm.Memory would.
func (s *shelf) damage(space driver.Space, keys ...string) {
	s.t.Helper()
	store, err := sqliteltm.Open(s.t.Context(), &url.URL{Scheme: "sqlite", Path: s.path})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, key := range keys {
		r := driver.Record{Key: driver.Key{Space: space, Key: key}, Value: []byte("nonsense"), Metadata: []byte("{}"), UpdatedAt: 1}
		if _, err := store.Put(s.t.Context(), r, driver.Condition{}); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		s.t.Fatal(err)
	}
}

func TestCacheVerify(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	if got := s.ok("cache verify"); got != "0 entries, 0 damaged, 0 deleted\n" {
		t.Errorf("%s", got)
	}
	s.damage(driver.Cache, "custom:a", "custom:b", "digest-key")
	s.damage(driver.User, "mine")
	s.fails(1, "cache::custom:a  store is corrupt", "cache verify")
	s.fails(1, "3 entries damaged; tea cache verify --repair deletes them", "cache verify")
	if got := s.ok("cache verify --namespace other"); got != "0 entries, 0 damaged, 0 deleted\n" {
		t.Errorf("%s", got)
	}
	v, err := value.Parse([]byte(s.ok("cache verify --repair --json")))
	if err != nil || v.At("deleted").String() != "3" || v.At("damaged").Len() != 3 || v.At("entries").String() != "3" {
		t.Errorf("%v, %v", v, err)
	}
	if got := s.ok("cache verify"); got != "0 entries, 0 damaged, 0 deleted\n" {
		t.Errorf("%s", got)
	}
	s.fails(3, "mine", "ltm get mine") // a user's memory was not touched
}

// TestMisplacedEntry holds that an entry under another's key is found out.
func TestMisplacedEntry(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	a := &app{ltm: s.path, now: time.Now}
	err := a.withSpace(t.Context(), driver.Cache, func(m *ltm.Memory) error {
		_, err := m.Put(t.Context(), "custom:a", value.Int(1), &ltm.PutOptions{
			Metadata: value.Object(value.M("_cache_key", value.String("cache::custom:b"))),
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.fails(1, "cache::custom:a  its metadata belong to another key", "cache verify")
}

func TestDamagedEntriesAreToldAndLeftOut(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.ok("ltm put good 1")
	s.damage(driver.User, "bad")
	dir := t.TempDir()
	file := filepath.Join(dir, "out")
	s.fails(1, "left out for being damaged: 1 entry", "ltm export "+file)
	s.fails(1, `left out: ltm: get "bad"`, "ltm copy "+s.path+" "+filepath.Join(dir, "copy.db"))
	other := &shelf{t: t, path: filepath.Join(dir, "other.db")}
	if got := other.ok("ltm import " + file); got != "1 entry: 1 created\n" {
		t.Errorf("%s", got)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestAFailedExportLeavesNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := &app{}
	file := filepath.Join(dir, "out")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := a.writeTo(file, func(w io.Writer) error {
		_, _ = w.Write([]byte("half"))
		return broken
	})
	left, _ := os.ReadDir(dir)
	data, _ := os.ReadFile(file)
	if !errors.Is(err, broken) || len(left) != 1 || string(data) != "old" {
		t.Errorf("%v, left %v, %q", err, left, data)
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ltm.Filter{
		"kind":           {Path: []string{"kind"}, Op: ltm.Exists},
		"kind=person":    {Path: []string{"kind"}, Op: ltm.Eq, Value: value.String("person")},
		"kind=":          {Path: []string{"kind"}, Op: ltm.Eq, Value: value.String("")},
		`zip="01"`:       {Path: []string{"zip"}, Op: ltm.Eq, Value: value.String("01")},
		"a.b>=18":        {Path: []string{"a", "b"}, Op: ltm.Ge, Value: value.Int(18)},
		"a<=1.5":         {Path: []string{"a"}, Op: ltm.Le, Value: value.Float(1.5)},
		"a<x=y":          {Path: []string{"a"}, Op: ltm.Lt, Value: value.String("x=y")},
		"a>2":            {Path: []string{"a"}, Op: ltm.Gt, Value: value.Int(2)},
		`k=["a","b"]`:    {Path: []string{"k"}, Op: ltm.In, Value: value.Must([]any{"a", "b"})},
		"at=2026-01-01 ": {Path: []string{"at"}, Op: ltm.Eq, Value: value.String("2026-01-01 ")},
	} {
		got, err := readCondition(text)
		if err != nil || strings.Join(got.Path, "/") != strings.Join(want.Path, "/") || got.Op != want.Op || !value.Equal(got.Value, want.Value) {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "=1", ".a=1", "a.=1", "a..b"} {
		if f, err := readCondition(text); err == nil {
			t.Errorf("%q is %+v", text, f)
		}
	}
}

func TestStatusesOfStores(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.ok("ltm put k 1")
	for _, tt := range []struct {
		line   string
		status int
		says   string
	}{
		{"ltm put k 1 --ttl soon", 2, `"soon" is not a duration`},
		{"ltm put k 1 --ttl 0", 2, "above 0"},
		{"ltm put k 1 --metadata kind", 2, "KEY=VALUE"},
		{"ltm put k", 2, "VALUE is missing"},
		{"ltm put k @nowhere", 2, "nowhere"},
		{"ltm ls --limit 0", 2, "want 1 to 1000"},
		{"ltm ls --order creatd", 2, `did you mean "created"?`},
		{"ltm ls --cursor abc", 2, "the cursor is damaged"},
		{"ltm ls --namespace a --all-namespaces", 2, "cannot go together"},
		{"ltm search", 2, "say what to look for"},
		{"ltm search --where =1", 2, "want NAME"},
		{"ltm rm", 2, "either keys or --pattern"},
		{"ltm rm k --pattern *", 2, "either keys or --pattern"},
		{"ltm import nowhere.ndjson", 1, "nowhere.ndjson"},
		{"ltm import - --on-conflict skp", 2, `did you mean "skip"?`},
		{"ltm export --json", 2, "with a FILE only"},
		{"ltm copy a a", 2, "the same"},
		{"ltm copy a mem: --space usr", 2, `did you mean "user"?`},
		{"ltm copy nope://u:secret@h/x mem:", 3, "nope://u:xxxxx@h/x"},
		{"ltm doctor nope://u:secret@h/x", 3, "unknown scheme"},
		{"ltm doctor --samples 0", 2, "want 1 to"},
		{"ltm gte", 2, `did you mean "get"?`},
	} {
		s.fails(tt.status, tt.says, tt.line)
		if out, problems, _ := s.run(strings.Fields(tt.line)...); strings.Contains(out+problems, "secret") {
			t.Errorf("%s tells a secret: %s%s", tt.line, out, problems)
		}
	}
	s.path = "sqlite://" + s.path + "?readonly=true"
	s.fails(3, "read-only", "ltm put k 1")
}

// TestEveryCommandHasAnExample holds for all that is new under tea ltm and tea
// cache.
func TestEveryCommandHasAnExample(t *testing.T) {
	t.Parallel()
	a := &app{}
	for _, c := range append(a.cacheTransfer(), append(a.ltmCommand().Commands(), a.ltmCommand())...) {
		if c.Example == "" || c.Short == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
	}
}
