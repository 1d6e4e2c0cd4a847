package cassette

import (
	"fmt"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// ReplayMissError says that a recording has no answer to a call.
type ReplayMissError struct {
	// Request is what was asked, without secrets; Key its SHA-256.
	Request value.Value
	Key     string
	// File is the cassette.
	File string
	// Endpoint and Model are those of the call.
	Endpoint, Model string
	// Recorded is how many answers to this very request there are, all of them
	// served already; Incomplete, how many that were cut off.
	Recorded, Incomplete int
	// Closest is the recorded call that is most like it, nil if there is none.
	Closest *Call
	// Diff leads from the request of Closest to this one, line by line.
	Diff string
	// Command is what records the call, or "".
	Command string
}

// Error says all of it.
func (e *ReplayMissError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no recorded call with hash %s in %s", ShortHash(e.Key), e.File)
	switch {
	case e.Recorded > 0:
		fmt.Fprintf(&b, ": it was recorded %s, and all of them were served", plural(e.Recorded, "time"))
	case e.Incomplete > 0:
		fmt.Fprintf(&b, ": %s recorded that was cut off, and such are not replayed", plural(e.Incomplete, "answer"))
	}
	fmt.Fprintf(&b, "\n  endpoint: %s\n  model:    %s\n  key:      %s", orNone(e.Endpoint), orNone(e.Model), e.Key)
	if e.Closest != nil {
		fmt.Fprintf(&b, "\n\nClosest recorded call: %s\n--- recorded (%s)\n+++ requested (%s)\n%s",
			ShortHash(e.Closest.Hash), ShortHash(e.Closest.Hash), ShortHash(e.Key), e.Diff)
	}
	if e.Command != "" {
		fmt.Fprintf(&b, "\n\nTo record this call: %s", e.Command)
	}
	return b.String()
}

// Unwrap makes it an error with the code replay_miss.
func (e *ReplayMissError) Unwrap() error {
	return &actions.Error{Code: actions.CodeReplayMiss, Message: e.Error()}
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// miss describes a call that has no answer.
func (s *Session) miss(r Request, sum string) error {
	e := &ReplayMissError{
		Request: r.Key, Key: sum, File: s.path, Endpoint: r.Endpoint, Model: r.Model, Command: s.options.RecordCommand,
	}
	s.mu.Lock()
	if q := s.queues[sum]; q != nil {
		for _, entry := range q.entries {
			if entry.complete || s.options.AllowIncomplete {
				e.Recorded++
			} else {
				e.Incomplete++
			}
		}
	}
	recorded := s.recorded
	s.mu.Unlock()
	if e.Recorded+e.Incomplete == 0 {
		e.Closest, e.Diff = closest(r.Key, recorded)
	}
	return e
}

// forbidden notes a call that must not be.
func (s *Session) forbidden(r Request) error {
	r = s.prepare(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, &Call{Request: r})
	return s.forbiddenError(r)
}

func (s *Session) forbiddenError(r Request) error {
	return fmt.Errorf("%w: %s %s", ErrForbidden, orNone(r.Endpoint), r.Model)
}
