package cassette

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tea-agents/tea/engine/cassette/internal/redact"
)

// Session is one use of a cassette. Make one with New or Open. It is safe for
// concurrent use.
type Session struct {
	path    string
	options Options
	store   store
	header  Header
	steps   []normalizer

	mu       sync.Mutex
	queues   map[string]*queue // of recorded calls, by hash
	recorded []*entry          // in recorded order
	touched  map[string]bool   // hashes
	added    []*Call           // to be written, in order
	log      []*Call           // all that was served or made, in order
	made     int
	finished *error // what Finish returned
}

// New begins to use the cassette at path: a file if it ends in .yaml, .yml or
// .json, else a directory. Nothing is written before Finish. In the mode Replay
// the cassette must be there; errors about it are of type *FileError.
func New(path string, o *Options) (*Session, error) {
	options, err := o.complete()
	if err != nil {
		return nil, err
	}
	if path == "" && options.Mode != Live && !options.Forbid {
		return nil, fmt.Errorf("%w: the path is empty", ErrConfig)
	}
	s := &Session{
		path: path, options: options, store: storeFor(path),
		queues: map[string]*queue{}, touched: map[string]bool{},
	}
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, nil
}

// open reads what is needed of the cassette.
func (s *Session) open() error {
	now := s.options.Now()
	s.header = Header{
		Format: Format, CreatedAt: now, UpdatedAt: now, ToolVersion: s.options.Tool,
		Suite: s.options.Suite, Test: s.options.Test, Normalize: s.options.Normalize,
	}
	if s.options.Mode.serves() && !s.options.Forbid {
		if err := s.load(); err != nil {
			return err
		}
	}
	if s.options.Mode == Record {
		if err := s.store.begin(); err != nil {
			return err
		}
	}
	var err error
	s.steps, err = parseNormalizers(s.header.Normalize)
	return err
}

func (s *Session) load() error {
	c, err := s.store.load()
	switch {
	case errors.Is(err, ErrMissing) && s.options.Mode == RecordMissing:
		return nil
	case errors.Is(err, ErrMissing):
		return s.howToRecord(err)
	case err != nil:
		return err
	}
	if n := s.options.Normalize; len(n) > 0 && !slices.Equal(n, c.Normalize) {
		return fmt.Errorf("%w: %s was recorded with the normalisers [%s], not [%s]: record it afresh", ErrConfig,
			s.path, strings.Join(c.Normalize, ", "), strings.Join(n, ", "))
	}
	s.header.Normalize, s.header.CreatedAt = c.Normalize, c.CreatedAt
	s.recorded = c.entries
	for _, e := range c.entries {
		s.queue(e.sum).add(e)
	}
	return nil
}

func (s *Session) howToRecord(err error) error {
	var missing *FileError
	if errors.As(err, &missing) && s.options.RecordCommand != "" {
		missing.Detail = "record it: " + s.options.RecordCommand
	}
	return err
}

// Mode returns the mode of the session.
func (s *Session) Mode() Mode { return s.options.Mode }

// Path returns where the cassette is.
func (s *Session) Path() string { return s.path }

// Calls returns the calls that were served or made so far, in order. Requests
// and answers are as they are recorded, without secrets.
func (s *Session) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Call, len(s.log))
	for i, c := range s.log {
		all[i] = *c
	}
	return all
}

// Touched returns how many different requests were served or recorded so far.
func (s *Session) Touched() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.touched)
}

// Made returns how many calls were made rather than served.
func (s *Session) Made() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made
}

// redact masks secrets in text.
func (s *Session) redact(text string) string { return redact.Text(s.options.Redact(text)) }

// text is redact for text that must be UTF-8 to be written.
func (s *Session) text(text string) string {
	return strings.ToValidUTF8(s.redact(text), "\uFFFD")
}
