package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/cassette"
)

// modeFlags say whether calls are recorded or replayed, and where.
type modeFlags struct {
	record, replay, missing cassetteFile
}

// cassetteFile is a flag that may stand alone: then the file is the usual one,
// in the words of the help.
type cassetteFile struct {
	given bool
	file  string // "": the usual one
	usual string
}

// String implements pflag.Value.
func (c *cassetteFile) String() string { return c.file }

// Type implements pflag.Value.
func (c *cassetteFile) Type() string { return "FILE" }

// Set implements pflag.Value.
func (c *cassetteFile) Set(text string) error {
	if text == "" {
		return errors.New("the name of a cassette is missing")
	}
	c.given, c.file = true, text
	if text == c.usual {
		c.file = ""
	}
	return nil
}

// register adds the flags, with what they do.
func (f *modeFlags) register(flags *pflag.FlagSet, usual, record, replay, missing string) {
	for _, flag := range []struct {
		to          *cassetteFile
		name, usage string
	}{{&f.record, "record", record}, {&f.replay, "replay", replay}, {&f.missing, "record-missing", missing}} {
		flag.to.usual = usual
		flags.Var(flag.to, flag.name, flag.usage)
		flags.Lookup(flag.name).NoOptDefVal = usual
	}
}

// mode is what is to be done with calls, by the flags, else the environment;
// the file is "" for the usual one. said tells whether either says anything.
func (f *modeFlags) mode() (mode cassette.Mode, file string, said bool, err error) {
	for _, flag := range []struct {
		cassetteFile
		mode cassette.Mode
	}{{f.record, cassette.Record}, {f.replay, cassette.Replay}, {f.missing, cassette.RecordMissing}} {
		if flag.given {
			return flag.mode, flag.file, true, nil
		}
	}
	text := os.Getenv(cassette.EnvMode)
	if text == "" {
		return cassette.Live, "", false, nil
	}
	if mode, err = cassette.ParseMode(text); err != nil {
		err = fmt.Errorf("%s: %w", cassette.EnvMode, err)
	}
	return mode, "", true, err
}

// recordFlags are those of a run.
type recordFlags struct {
	modeFlags
	fromCache bool
	speed     float64
}

func (f *recordFlags) register(flags *pflag.FlagSet) {
	f.modeFlags.register(flags, "cassettes/AGENT.yaml",
		"record the calls that go outward into a cassette, in place of what it holds",
		"serve these calls from a cassette, and dial nothing",
		"serve recorded calls from a cassette, make and record all others")
	flags.BoolVar(&f.fromCache, "record-from-cache", false, "let caches answer the calls that are recorded")
	flags.Float64Var(&f.speed, "replay-speed", 0, "how fast streams are replayed: 0 at once, 1 as recorded, 2 twice as fast")
}

// check finds what does not go together.
func (f *recordFlags) check(changed func(flag string) bool) error {
	mode, _, _, err := f.mode()
	switch {
	case err != nil:
		return usageError{err}
	case f.speed < 0 || f.speed != f.speed:
		return usageError{fmt.Errorf("--replay-speed %v: want 0 or more", f.speed)}
	case changed("replay-speed") && mode != cassette.Replay && mode != cassette.RecordMissing:
		return usageError{errors.New("--replay-speed needs --replay or --record-missing")}
	case f.fromCache && mode != cassette.Record && mode != cassette.RecordMissing:
		return usageError{errors.New("--record-from-cache needs --record or --record-missing")}
	}
	return nil
}

// tape is the cassette of a run; nil is none.
type tape struct {
	cassette *cassette.Session
	path     string
}

// cassette opens the cassette of a run of the agent in a file; nil where there
// is nothing to do with one.
func (a *app) cassette(agent *engine.Agent, file string, f runFlags) (*tape, error) {
	mode, path, _, err := f.recording.mode()
	if err != nil || mode == cassette.Live {
		return nil, err
	}
	if path == "" {
		path = cassetteOf(file)
	}
	said := agent.Recording()
	s, err := cassette.New(path, &cassette.Options{
		Mode: mode, Normalize: said.Normalize, OnExhausted: said.OnExhausted,
		ReplaySpeed: f.recording.speed, Now: a.now, Tool: version, Touched: os.Getenv(cassette.EnvTouched),
		RecordCommand: recordCommand(file, path, f.input),
	})
	if err != nil {
		return nil, err
	}
	return &tape{s, path}, nil
}

// session is the cassette's session, nil for none.
func (t *tape) session() *cassette.Session {
	if t == nil {
		return nil
	}
	return t.cassette
}

// cassetteOf is where the cassette of an agent is when nobody says otherwise.
func cassetteOf(file string) string {
	base := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) + ".yaml"
	return filepath.Join(cmp.Or(os.Getenv(cassette.EnvDir), filepath.Join(filepath.Dir(file), "cassettes")), base)
}

// recordCommand is what records what a cassette lacks.
func recordCommand(file, path string, input []string) string {
	words := []string{"tea", "run", quoted(file)}
	for _, in := range input {
		words = append(words, "--input", quoted(in))
	}
	flag := "--record-missing"
	if path != cassetteOf(file) {
		flag += "=" + quoted(path)
	}
	return strings.Join(append(words, flag), " ")
}

// quoted returns a word as a shell reads it.
func quoted(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// finish writes the cassette after a run that ended with err, and says what
// was done with it. It returns how all of it ended.
func (t *tape) finish(to streams, err error, quiet bool) error {
	if t == nil {
		return err
	}
	failed := t.cassette.Finish(err == nil)
	switch {
	case failed != nil && err != nil:
		to.say("tea: %v", failed)
	case failed == nil && !quiet && (err == nil || t.cassette.Made() > 0):
		to.say("%s", t.summary(err == nil))
	}
	return cmp.Or(err, failed)
}

// summary says in a line what came of the cassette.
func (t *tape) summary(passed bool) string {
	n := t.cassette.Made()
	made, served := count(n, "call"), count(len(t.cassette.Calls())-n, "call")
	switch t.cassette.Mode() {
	case cassette.Record:
		if !passed && n > 0 {
			return fmt.Sprintf("the run failed: recorded %s in %s.failed, and %s stays as it was", made, t.path, t.path)
		}
		return fmt.Sprintf("recorded %s in %s", made, t.path)
	case cassette.Replay:
		return fmt.Sprintf("replayed %s from %s", served, t.path)
	default:
		return fmt.Sprintf("replayed %s from %s, recorded %s", served, t.path, made)
	}
}
