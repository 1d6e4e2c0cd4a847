package cassette

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// TB is what Open needs of a *testing.T or *testing.B.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
	Failed() bool
	Name() string
}

// Option changes what Open does.
type Option func(*settings)

// settings are what options change.
type settings struct {
	Options
	modeSet bool
	env     func(string) (string, bool)
}

// WithMode sets the mode, whatever TEA_LLM_MODE says.
func WithMode(m Mode) Option {
	return func(s *settings) { s.Mode, s.modeSet = m, true }
}

// WithOptions changes the options of the session.
func WithOptions(change func(*Options)) Option { return func(s *settings) { change(&s.Options) } }

// WithNormalize declares normalisers: see [Options].
func WithNormalize(names ...string) Option {
	return func(s *settings) { s.Normalize = names }
}

// ForbidCalls fails the test at its end when any call was made, recorded or
// not. The cassette need not be there.
func ForbidCalls() Option { return func(s *settings) { s.Forbid = true } }

// WithEnv reads environment variables in another way than [os.LookupEnv].
func WithEnv(lookup func(string) (string, bool)) Option { return func(s *settings) { s.env = lookup } }

// The environment variables that Open reads.
const (
	EnvMode    = "TEA_LLM_MODE"
	EnvDir     = "TEA_CASSETTE_DIR"
	EnvTouched = "TEA_CASSETTE_TOUCHED"
)

// Open begins a session for one test, and ends it when the test ends, as passed
// if the test did not fail. An empty path means the test's own cassette,
// testdata/cassettes/{test}.yaml, where TEA_CASSETTE_DIR names another folder.
// The mode is that of the options, else of TEA_LLM_MODE, else Replay.
// TEA_CASSETTE_TOUCHED names a file that lists the calls that were touched, for
// tea cassette prune. Whatever is wrong ends the test.
//
// A test's own cassette is kept clean: in the mode RecordMissing too, calls
// that a passing test no longer makes are dropped.
func Open(t TB, path string, opts ...Option) *Session {
	t.Helper()
	c := settings{env: os.LookupEnv}
	c.Suite, c.Test = suite(), t.Name()
	c.RecordCommand = EnvMode + "=record go test -run '" + runPattern(t.Name()) + "'"
	c.Prune = path == ""
	for _, o := range opts {
		o(&c)
	}
	if err := c.environment(); err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	s, err := New(c.path(path, t.Name()), &c.Options)
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	t.Cleanup(func() {
		t.Helper()
		if err := s.end(!t.Failed()); err != nil {
			t.Fatalf("%v", err)
		}
	})
	return s
}

// end finishes the session of a test.
func (s *Session) end(passed bool) error {
	err := s.Finish(passed)
	if calls := s.Calls(); s.options.Forbid && len(calls) > 0 {
		err = errors.Join(err, s.forbiddenError(calls[0].Request))
	}
	return err
}

// environment fills in what the options left open.
func (c *settings) environment() error {
	if c.Touched == "" {
		c.Touched, _ = c.env(EnvTouched)
	}
	if c.modeSet {
		return nil
	}
	c.Mode = Replay
	name, _ := c.env(EnvMode)
	if name == "" {
		return nil
	}
	var err error
	if c.Mode, err = ParseMode(name); err != nil {
		return errors.Join(errors.New("the environment variable "+EnvMode), err)
	}
	return nil
}

// path returns where the cassette of a test is.
func (c *settings) path(path, test string) string {
	if path != "" {
		return path
	}
	dir, _ := c.env(EnvDir)
	if dir == "" {
		dir = filepath.Join("testdata", "cassettes")
	}
	return filepath.Join(dir, filepath.FromSlash(fileName(test))+".yaml")
}

// fileName makes a test's name fit for any file system; subtests get folders.
func fileName(test string) string {
	test = regexp.MustCompile(`[^A-Za-z0-9_./=,+-]+`).ReplaceAllString(test, "_")
	parts := strings.Split(test, "/")
	for i, p := range parts {
		if strings.Trim(p, ".") == "" {
			parts[i] = strings.ReplaceAll(p, ".", "_")
		}
	}
	return strings.Join(parts, "/")
}

// runPattern returns what go test -run takes for exactly that test.
func runPattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// suite returns the name of the folder in which the test runs: its package's.
func suite() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return filepath.Base(dir)
}
