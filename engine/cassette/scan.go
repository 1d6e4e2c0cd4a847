package cassette

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/tea-agents/tea/engine/cassette/internal/redact"
)

// Finding is something in a cassette that looks like a secret.
type Finding struct {
	File      string
	Line, Col int // from 1; Col counts bytes
	Kind      string
	// Preview is the beginning of it.
	Preview string
}

// Scan looks through the text of a cassette, or of any file, for what looks
// like a secret: credentials of well-known forms, also within base64, and values
// under keys that name one.
func Scan(path string) ([]Finding, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, readError(path, err)
	}
	if !info.IsDir() {
		return scanFile(path)
	}
	var all []Finding
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || formOf(p) == formDir {
			return err
		}
		found, err := scanFile(p)
		all = append(all, found...)
		return err
	})
	return all, err
}

func scanFile(path string) ([]Finding, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, readError(path, err)
	}
	text := string(data)
	s := &scanner{path: path, text: text, seen: map[int]bool{}}
	for _, f := range redact.All(text) {
		s.add(f.Start, f.End, f.Kind)
	}
	expressions := scanExpressions()
	for _, m := range expressions.member.FindAllStringSubmatchIndex(text, -1) {
		if redact.NamesCredential(text[m[2]:m[3]]) && !strings.HasPrefix(text[m[4]:m[5]], redact.Mask) {
			s.add(m[4], m[5], "value of "+text[m[2]:m[3]])
		}
	}
	for _, m := range expressions.encoded.FindAllStringSubmatchIndex(text, -1) {
		decoded, err := base64.StdEncoding.DecodeString(text[m[2]:m[3]])
		if found := redact.All(string(decoded)); err == nil && len(found) > 0 {
			s.add(m[2], m[3], found[0].Kind+" in base64")
		}
	}
	return s.found, nil
}

// scanExpressions are compiled once: members with a text on their line, and
// long words of base64.
//
//nolint:gochecknoglobals // constant: expressions cannot be constants in Go
var scanExpressions = sync.OnceValue(func() (e struct{ member, encoded *regexp.Regexp }) {
	e.member = regexp.MustCompile(`(?m)^[ -]*"?([A-Za-z][A-Za-z_-]*)"?: +"?([^"\s{}\[\]|>][^"\n]*)`)
	e.encoded = regexp.MustCompile(`([A-Za-z0-9+/]{24,}={0,2})`)
	return e
})

type scanner struct {
	path, text string
	seen       map[int]bool // where something was found
	found      []Finding
}

func (s *scanner) add(start, end int, kind string) {
	if s.seen[start] || start == end {
		return
	}
	s.seen[start] = true
	before := s.text[:start]
	preview := s.text[start:min(start+4, end)] + "…"
	s.found = append(s.found, Finding{
		File: s.path, Line: strings.Count(before, "\n") + 1, Col: start - strings.LastIndexByte(before, '\n'), Kind: kind, Preview: preview,
	})
}

// Walk reads every cassette below root, which may be one itself, in the order
// of their paths. Files that are no cassettes are passed over; a cassette that
// cannot be read is an error, after which the others follow.
func Walk(root string, visit func(*Cassette, error) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if info, err := os.Stat(filepath.Join(path, responsesName)); err != nil || !info.IsDir() {
				return nil
			}
			if err := visit(Read(path)); err != nil {
				return err
			}
			return fs.SkipDir
		case formOf(path) == formDir || !d.Type().IsRegular():
			return nil
		}
		c, err := Read(path)
		if errors.Is(err, errNoCassette) {
			return nil
		}
		return visit(c, err)
	})
}
