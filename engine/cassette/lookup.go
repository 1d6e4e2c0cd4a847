package cassette

// Lookup says what to do about a call: serve the one that it returns; make it
// and Add what came of it, where it returns nil; or fail with the error, which
// is a *ReplayMissError in the mode Replay, or ErrForbidden. An answer is served
// once.
func (s *Session) Lookup(r Request) (*Call, error) {
	if s.options.Forbid {
		return nil, s.forbidden(r)
	}
	if !s.options.Mode.serves() {
		return nil, s.check()
	}
	key := s.key(r.Key)
	sum, err := hash(key, s.steps)
	if err != nil {
		return nil, err
	}
	found, err := s.take(sum, r.ID)
	switch {
	case err != nil:
		return nil, err
	case found == nil && s.options.Mode == Replay:
		return nil, s.miss(s.prepare(r), sum)
	case found == nil:
		return nil, nil
	}
	c, err := found.decode()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, c)
	copied := *c
	return &copied, nil
}

// check returns ErrClosed when the session is over.
func (s *Session) check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finished != nil {
		return ErrClosed
	}
	return nil
}

// take takes the next answer out of its queue, nil if there is none.
func (s *Session) take(sum, id string) (*entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finished != nil {
		return nil, ErrClosed
	}
	q := s.queues[sum]
	if q == nil {
		return nil, nil
	}
	s.touched[sum] = true
	found := q.next(id, s.options.AllowIncomplete)
	if found == nil && s.options.OnExhausted == exhaustedLast {
		found = q.last(id, s.options.AllowIncomplete)
	}
	return found, nil
}
