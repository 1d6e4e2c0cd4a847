package cassette

import (
	"iter"
	"os"
	"strings"
)

// Cassette is what a file or directory holds. Its calls are decoded when they
// are asked for. It is not safe for concurrent use.
type Cassette struct {
	Header
	// Path is where it was read from.
	Path string

	entries []*entry
}

// Read reads a cassette. Errors are of type *FileError.
func Read(path string) (*Cassette, error) { return storeFor(path).load() }

// Len returns how many calls there are.
func (c *Cassette) Len() int { return len(c.entries) }

// Calls iterates over the calls in recorded order. One that is damaged is an
// error, after which the others follow.
func (c *Cassette) Calls() iter.Seq2[*Call, error] {
	return func(yield func(*Call, error) bool) {
		for _, e := range c.entries {
			if !yield(e.decode()) {
				return
			}
		}
	}
}

// store is where a cassette is kept.
type store interface {
	// begin remembers what is there before a fresh recording.
	begin() error
	// load reads it.
	load() (*Cassette, error)
	// replace writes what was recorded afresh; if failed, beside it.
	replace(h Header, recorded []*Call, failed bool) error
	// amend appends calls and drops others, whatever was appended meanwhile.
	// What is written again goes through redact first.
	amend(h Header, added []*Call, drop func(sum string) bool, redact func(*Call) error) error
}

// form is how a single file is written.
type form uint8

const (
	formYAML form = iota
	formJSON
	formDir
)

// suffixFailed is added to the path of what a failed run recorded.
const suffixFailed = ".failed"

func formOf(path string) form {
	path = strings.ToLower(strings.TrimSuffix(path, suffixFailed))
	switch {
	case strings.HasSuffix(path, ".yaml"), strings.HasSuffix(path, ".yml"):
		return formYAML
	case strings.HasSuffix(path, ".json"):
		return formJSON
	default:
		return formDir
	}
}

func storeFor(path string) store {
	if f := formOf(path); f != formDir {
		return &file{path: path, form: f}
	}
	return &directory{path: path}
}

// readError says why a file could not be read.
func readError(path string, err error) error {
	if os.IsNotExist(err) {
		return &FileError{Path: path, Kind: ErrMissing}
	}
	return &FileError{Path: path, Kind: ErrUnreadable, Err: err}
}
