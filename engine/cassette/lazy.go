package cassette

import (
	"errors"
	"fmt"

	"github.com/tea-agents/tea/engine/cassette/internal/tree"
	"github.com/tea-agents/tea/value"
)

// split reads the header of a file and finds its calls without decoding them.
// It tells whether it could: a file that was edited by hand may have to be read
// as a whole.
func (f *file) split(data []byte) (*Cassette, bool, error) {
	split := tree.SplitYAML
	if f.form == formJSON {
		split = tree.SplitJSON
	}
	head, parts, ok := split(data, "calls", "sha256", "id", "complete")
	if !ok {
		return nil, false, nil
	}
	v, err := f.value(head)
	if err != nil { // the whole says it better
		return nil, false, nil
	}
	if err := checkFormat(f.path, v); err != nil {
		return nil, false, err
	}
	var errs []error
	r := read("", v.Without("calls"), &errs)
	c := &Cassette{Header: readHeader(r)}
	r.end()
	for _, p := range parts {
		if len(p.Keys["sha256"]) != fullHash || p.Keys["complete"] == "" {
			return nil, false, nil
		}
		c.entries = append(c.entries, lazyEntry(p.Keys["sha256"], p.Keys["id"], p.Keys["complete"] == "true",
			func() (*Call, error) { return f.part(p) }))
	}
	return c, len(errs) == 0, nil
}

// part decodes a call.
func (f *file) part(p tree.Part) (*Call, error) {
	v, err := f.value(p.Text)
	if f.form == formYAML && v.Len() == 1 {
		v = v.Index(0)
	}
	var c Call
	if err == nil {
		c, err = decodeCall(v)
	}
	if err == nil && c.Hash != p.Keys["sha256"] {
		err = errors.New("the key sha256 stands twice")
	}
	if err != nil {
		return nil, &FileError{Path: f.path, Kind: ErrUnreadable, Detail: fmt.Sprintf("the call %s", ShortHash(p.Keys["sha256"])), Err: unwrapFile(err)}
	}
	return &c, nil
}

// unwrapFile returns the reason of a FileError.
func unwrapFile(err error) error {
	var e *FileError
	if errors.As(err, &e) && e.Err != nil {
		return e.Err
	}
	return err
}

// callFile is the text of one call in a directory.
func callFile(c *Call, h Header) []byte {
	f := fields{}
	f.add("format", value.Int(Format))
	f.text("timestamp", c.Timestamp.UTC().Format(timestampLayout))
	f.text("test_suite", h.Suite)
	f.text("test_name", h.Test)
	return append(tree.AppendJSON(nil, tree.Object(append(f.all, encodeCall(c, true)...)...), 0), '\n')
}

// timestampLayout is RFC 3339 with nine digits, so that texts sort like times.
const timestampLayout = "2006-01-02T15:04:05.000000000Z"
