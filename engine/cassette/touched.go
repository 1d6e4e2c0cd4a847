package cassette

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// appendTouched adds what this session touched to a list: a line for each call,
// with its hash and the absolute path of the cassette.
func (s *Session) appendTouched(list string) error {
	path, err := filepath.Abs(s.path)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, sum := range sortedKeys(s.touched) {
		fmt.Fprintf(&b, "%s  %s\n", sum, path)
	}
	f, err := os.OpenFile(list, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // for everybody who works on the project
	if err != nil {
		return fmt.Errorf("the list of touched calls: %w", err)
	}
	_, err = f.WriteString(b.String()) // in one piece, so that processes do not mix
	return errors.Join(err, f.Close())
}

// ReadTouched reads a list that sessions left, see Options.Touched: the hashes
// of the calls that were touched, by the absolute path of their cassette.
func ReadTouched(list string) (map[string][]string, error) {
	data, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		sum, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || len(sum) != fullHash {
			return nil, fmt.Errorf("%s is no list of touched calls: %.80q", list, line)
		}
		all[path] = append(all[path], sum)
	}
	return all, nil
}

// Prune drops the calls of a cassette that keep does not name by their hash or
// its beginning, and returns them; without apply it only says which they would
// be. It refuses, with ErrConfig, where it would drop all.
func Prune(path string, keep []string, apply bool) ([]*Call, error) {
	c, err := Read(path)
	if err != nil {
		return nil, err
	}
	stays := func(sum string) bool {
		for _, k := range keep {
			if k != "" && strings.HasPrefix(sum, k) {
				return true
			}
		}
		return false
	}
	var dropped []*Call
	for call, err := range c.Calls() {
		if err != nil {
			return nil, err
		}
		if !stays(call.Hash) {
			dropped = append(dropped, call)
		}
	}
	if n := c.Len(); n > 0 && len(dropped) == n {
		return nil, fmt.Errorf("%w: none of the calls of %s was touched; nothing is dropped then", ErrConfig, path)
	}
	if !apply || len(dropped) == 0 {
		return dropped, nil
	}
	s, err := New(path, &Options{Mode: RecordMissing, Tool: c.ToolVersion})
	if err != nil {
		return nil, err
	}
	h := c.Header
	h.UpdatedAt = s.options.Now()
	return dropped, s.store.amend(h, nil, func(sum string) bool { return !stays(sum) }, s.again)
}
