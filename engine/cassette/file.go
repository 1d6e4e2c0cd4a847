package cassette

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tea-agents/tea/engine/cassette/internal/files"
	"github.com/tea-agents/tea/engine/cassette/internal/tree"
	"github.com/tea-agents/tea/value"
)

// file keeps a cassette in a single file.
type file struct {
	path string
	form form
}

// endMark ends every YAML cassette, so that one that was cut off is found out.
const endMark = "...\n"

func (f *file) begin() error { return nil }

func (f *file) load() (*Cassette, error) {
	data, err := os.ReadFile(f.path)
	if err != nil {
		return nil, readError(f.path, err)
	}
	c, err := f.parse(data)
	if err != nil {
		return nil, err
	}
	c.Path = f.path
	return c, nil
}

func (f *file) parse(data []byte) (*Cassette, error) {
	if err := f.whole(data); err != nil {
		return nil, err
	}
	if c, ok, err := f.split(data); ok || err != nil {
		return c, err
	}
	v, err := f.value(data)
	if err != nil {
		return nil, err
	}
	return f.decode(v)
}

// whole tells what shows that the file was cut off.
func (f *file) whole(data []byte) error {
	trimmed := bytes.TrimSpace(data)
	switch {
	case len(trimmed) == 0:
		return &FileError{Path: f.path, Kind: ErrTorn, Detail: "there is nothing in it"}
	case !bytes.HasPrefix(trimmed, []byte("format:")) && !bytes.Contains(data, []byte("\nformat:")) && !bytes.Contains(data, []byte(`"format"`)):
		return &FileError{Path: f.path, Kind: ErrUnreadable, Err: errNoCassette}
	case f.form == formYAML && !bytes.HasSuffix(trimmed, []byte("\n...")):
		return &FileError{Path: f.path, Kind: ErrTorn, Detail: `its last line is not "...", which ends every cassette`}
	case f.form == formJSON && trimmed[len(trimmed)-1] != '}':
		return &FileError{Path: f.path, Kind: ErrTorn, Detail: "its last character is not }"}
	}
	return nil
}

func (f *file) value(data []byte) (value.Value, error) {
	parse := tree.ParseYAML
	if f.form == formJSON {
		parse = value.Parse
	}
	v, err := parse(data)
	if err != nil {
		return v, &FileError{Path: f.path, Kind: ErrUnreadable, Err: err}
	}
	return v, nil
}

// decode reads a whole document.
func (f *file) decode(v value.Value) (*Cassette, error) {
	if err := checkFormat(f.path, v); err != nil {
		return nil, err
	}
	var errs []error
	r := read("", v, &errs)
	c := &Cassette{Header: readHeader(r)}
	steps, err := parseNormalizers(c.Normalize)
	errs = append(errs, err)
	for i, item := range r.list("calls") {
		of := read(fmt.Sprintf("calls[%d].", i), item, &errs)
		call := readCall(of)
		of.end()
		if call.Hash == "" && err == nil { // written by hand
			call.Hash, err = hash(call.Key, steps)
			errs = append(errs, err)
		}
		c.entries = append(c.entries, newEntry(&call))
	}
	r.end()
	if err := errors.Join(errs...); err != nil {
		return nil, &FileError{Path: f.path, Kind: ErrUnreadable, Err: err}
	}
	return c, nil
}

// errNoCassette is the reason why a file is not read that may well be in order.
var errNoCassette = errors.New(`it is no cassette: there is no "format" with a number in it`)

// checkFormat refuses what is no cassette, or one of a later program.
func checkFormat(path string, v value.Value) error {
	format, isInt := v.At("format").AsInt()
	switch {
	case !isInt || format < 1:
		return &FileError{Path: path, Kind: ErrUnreadable, Err: errNoCassette}
	case format > Format:
		return &FileError{Path: path, Kind: ErrVersion, Detail: fmt.Sprintf("it has format %d, this program reads up to %d; use a newer one", format, Format)}
	}
	return nil
}

// encode returns the text of the file.
func (f *file) encode(h Header, calls []*Call) []byte {
	h.Summary = summary(calls)
	items := make([]tree.Node, len(calls))
	for i, c := range calls {
		items[i] = tree.Object(encodeCall(c, false)...)
	}
	doc := tree.Object(append(h.fields(), tree.F("calls", tree.List(items...)))...)
	if f.form == formJSON {
		return append(tree.AppendJSON(nil, doc, 0), '\n')
	}
	return append(tree.AppendYAML(nil, doc), endMark...)
}

func (f *file) replace(h Header, recorded []*Call, failed bool) error {
	if failed {
		return files.Write(f.path+suffixFailed, f.encode(h, recorded))
	}
	if old, err := f.load(); err == nil {
		h.CreatedAt = old.CreatedAt
	}
	files.Sweep(filepath.Dir(f.path))
	if err := files.Write(f.path, f.encode(h, recorded)); err != nil {
		return err
	}
	if err := os.Remove(f.path + suffixFailed); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

func (f *file) amend(h Header, added []*Call, drop func(string) bool, redact func(*Call) error) error {
	unlock, err := files.Lock(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	defer unlock()
	files.Sweep(filepath.Dir(f.path))
	var kept []*Call
	old, err := f.load()
	switch {
	case err == nil:
		if kept, err = remaining(old, added, drop, redact); err != nil {
			return err
		}
		if len(added) == 0 && len(kept) == old.Len() {
			return nil
		}
		h.CreatedAt = old.CreatedAt
		if old.Test != "" {
			h.Suite, h.Test = old.Suite, old.Test
		}
	case !errors.Is(err, ErrMissing):
		return err
	}
	return files.Write(f.path, f.encode(h, append(kept, added...)))
}

// remaining returns the calls that stay: not dropped, nor cut off where there
// is a whole answer now; each redacted once more.
func remaining(old *Cassette, added []*Call, drop func(string) bool, redact func(*Call) error) ([]*Call, error) {
	whole := make(map[string]bool, len(added))
	for _, c := range added {
		whole[c.Hash] = whole[c.Hash] || c.Complete
	}
	var kept []*Call
	for c, err := range old.Calls() {
		if err != nil {
			return nil, err
		}
		if drop(c.Hash) || !c.Complete && whole[c.Hash] {
			continue
		}
		again := *c
		if err := redact(&again); err != nil {
			return nil, err
		}
		kept = append(kept, &again)
	}
	return kept, nil
}
