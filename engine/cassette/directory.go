package cassette

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/tea-agents/tea/engine/cassette/internal/files"
	"github.com/tea-agents/tea/engine/cassette/internal/tree"
	"github.com/tea-agents/tea/value"
)

// directory keeps a cassette in a directory: a header in cassette.json, a file
// for each call in responses/, and index.sqlite, which is derived from them.
//
// The file of a call is named by its hash; further answers to the same request
// have -2, -3 and so on behind it, in their order.
type directory struct {
	path string
	// before are the files that were there when a fresh recording began.
	before map[string]stat
}

const (
	headerName    = "cassette.json"
	responsesName = "responses"
	callSuffix    = ".json"
)

// stat tells whether a file is still the same.
type stat struct{ size, mtime int64 }

func (d *directory) responses() string { return filepath.Join(d.path, responsesName) }

func (d *directory) begin() error {
	var err error
	d.before, err = d.list()
	if errors.Is(err, ErrMissing) {
		err = nil
	}
	return err
}

// list returns the files of calls, by name.
func (d *directory) list() (map[string]stat, error) {
	entries, err := os.ReadDir(d.responses())
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, &FileError{Path: d.path, Kind: ErrUnreadable, Detail: "it is no directory; a cassette in a single file ends in .yaml, .yml or .json"}
	}
	if err != nil {
		return nil, readError(d.path, err)
	}
	all := make(map[string]stat, len(entries))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), callSuffix) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, os.ErrNotExist) { // gone meanwhile
			continue
		}
		if err != nil {
			return nil, readError(d.path, err)
		}
		all[e.Name()] = stat{info.Size(), info.ModTime().UnixNano()}
	}
	return all, nil
}

func (d *directory) load() (*Cassette, error) {
	h, err := d.header()
	if err != nil {
		return nil, err
	}
	rows, err := d.rows()
	if err != nil {
		return nil, err
	}
	c := &Cassette{Header: h, Path: d.path}
	for _, r := range rows {
		c.entries = append(c.entries, lazyEntry(r.sum, r.id, r.complete, func() (*Call, error) {
			call, _, err := d.read(r.file)
			return call, err
		}))
	}
	return c, nil
}

// header reads cassette.json. A directory may do without.
func (d *directory) header() (Header, error) {
	path := filepath.Join(d.path, headerName)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return Header{Format: Format}, nil
	}
	if errors.Is(err, syscall.ENOTDIR) {
		_, err = d.list()
		return Header{}, err
	}
	if err != nil {
		return Header{}, readError(path, err)
	}
	if len(strings.TrimSpace(string(data))) == 0 {
		return Header{}, &FileError{Path: path, Kind: ErrTorn, Detail: "there is nothing in it"}
	}
	v, err := value.Parse(data)
	if err != nil {
		return Header{}, &FileError{Path: path, Kind: ErrUnreadable, Err: err}
	}
	if err := checkFormat(path, v); err != nil {
		return Header{}, err
	}
	var errs []error
	r := read("", v, &errs)
	h := readHeader(r)
	r.end()
	if err := errors.Join(errs...); err != nil {
		return h, &FileError{Path: path, Kind: ErrUnreadable, Err: err}
	}
	return h, nil
}

// writeHeader writes cassette.json unless one is there that says the same about
// hashing.
func (d *directory) writeHeader(h Header) error {
	old, err := d.header()
	if err != nil && !errors.Is(err, ErrUnreadable) && !errors.Is(err, ErrTorn) {
		return err
	}
	if err == nil && !old.CreatedAt.IsZero() && strings.Join(old.Normalize, " ") == strings.Join(h.Normalize, " ") {
		return nil
	}
	h.Suite, h.Test, h.Summary = "", "", ""
	return files.Write(filepath.Join(d.path, headerName), append(tree.AppendJSON(nil, tree.Object(h.fields()...), 0), '\n'))
}

// read reads the file of a call.
func (d *directory) read(name string) (*Call, Header, error) {
	path := filepath.Join(d.responses(), name)
	fail := func(kind error, detail string, err error) (*Call, Header, error) {
		return nil, Header{}, &FileError{Path: path, Kind: kind, Detail: detail, Err: err}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, Header{}, readError(path, err)
	}
	trimmed := strings.TrimSpace(string(data))
	if trimmed == "" || !strings.HasSuffix(trimmed, "}") {
		return fail(ErrTorn, "", nil)
	}
	v, err := value.Parse(data)
	if err != nil {
		return fail(ErrUnreadable, "", err)
	}
	if err := checkFormat(path, v); err != nil {
		return nil, Header{}, err
	}
	var errs []error
	r := read("", v, &errs)
	r.int("format")
	at := r.time("timestamp")
	h := Header{Suite: r.text("test_suite"), Test: r.text("test_name")}
	c := readCall(r)
	r.end()
	c.Timestamp = at
	if len(errs) == 0 && c.Hash == "" {
		errs = append(errs, errors.New("it has no sha256"))
	}
	if err := errors.Join(errs...); err != nil {
		return fail(ErrUnreadable, "", err)
	}
	return &c, h, nil
}

// callName is the name of the file of the nth answer to a request, from 1.
func callName(sum string, n int) string {
	if n == 1 {
		return ShortHash(sum) + callSuffix
	}
	return fmt.Sprintf("%s-%d%s", ShortHash(sum), n, callSuffix)
}

// ordinal is which answer the file holds, from 1.
func ordinal(name string) int {
	_, n, _ := strings.Cut(strings.TrimSuffix(name, callSuffix), "-")
	i, err := strconv.Atoi(n)
	if err != nil {
		return 1
	}
	return i
}
