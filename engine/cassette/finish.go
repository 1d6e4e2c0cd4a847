package cassette

import (
	"errors"
	"fmt"
)

// Finish ends the session and writes what was recorded, if anything.
//
//   - Record: a fresh file in the place of the old one if the run passed, else
//     beside it, with .failed at the end of its name. If no call was made, the
//     old file stays as it is.
//   - RecordMissing: the calls that were made are appended, whether the run
//     passed or not; calls that were never touched are dropped only where
//     Options.Prune says so, the run passed and touched at least one.
//   - Replay and Live: nothing is written.
//
// A second Finish returns what the first one did.
func (s *Session) Finish(passed bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finished == nil {
		err := s.write(passed)
		if list := s.options.Touched; list != "" && len(s.touched) > 0 {
			err = errors.Join(err, s.appendTouched(list))
		}
		s.finished = &err
	}
	return *s.finished
}

// Close ends the session as one that failed, unless Finish came before.
func (s *Session) Close() error { return s.Finish(false) }

func (s *Session) write(passed bool) error {
	if s.options.Forbid {
		return nil
	}
	switch {
	case s.options.Mode == Record && len(s.added) > 0:
		return s.store.replace(s.header, s.added, !passed)
	case s.options.Mode == RecordMissing:
		prune := s.options.Prune && passed && len(s.touched) > 0
		if len(s.added) == 0 && !prune {
			return nil
		}
		drop := func(sum string) bool { return prune && !s.touched[sum] }
		return s.saved(s.store.amend(s.header, s.added, drop, s.again))
	}
	return nil
}

// saved keeps calls beside a cassette to which they could not be appended: they
// may have cost money.
func (s *Session) saved(err error) error {
	if err == nil || len(s.added) == 0 {
		return err
	}
	if lost := s.store.replace(s.header, s.added, true); lost != nil {
		return errors.Join(err, lost)
	}
	return fmt.Errorf("%w\nwhat was recorded is in %s", err, s.path+suffixFailed)
}

// again masks secrets in a call that was recorded before.
func (s *Session) again(c *Call) error {
	before := c.Key
	c.Request, c.Response = s.prepare(c.Request), s.clean(c.Response)
	if before.String() == c.Key.String() {
		return nil
	}
	var err error
	c.Hash, err = hash(c.Key, s.steps)
	return err
}
