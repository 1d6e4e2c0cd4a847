package cassette

// queue holds the recorded answers to one request, in order.
type queue struct {
	entries []*entry
	served  []bool
}

func (s *Session) queue(sum string) *queue {
	q := s.queues[sum]
	if q == nil {
		q = &queue{}
		s.queues[sum] = q
	}
	return q
}

func (q *queue) add(e *entry) {
	q.entries = append(q.entries, e)
	q.served = append(q.served, false)
}

// next returns the answer for the call of that ID: its own that was not served
// yet, else the first of all that was not served yet, else nil.
func (q *queue) next(id string, incomplete bool) *entry {
	first := -1
	for i, e := range q.entries {
		if q.served[i] || !e.complete && !incomplete {
			continue
		}
		if e.id == id {
			first = i
			break
		}
		if first < 0 {
			first = i
		}
	}
	if first < 0 {
		return nil
	}
	q.served[first] = true
	return q.entries[first]
}

// last returns the last answer to the call of that ID, else the last of all.
func (q *queue) last(id string, incomplete bool) *entry {
	var last *entry
	for _, e := range q.entries {
		if (e.complete || incomplete) && (last == nil || e.id == id || last.id != id) {
			last = e
		}
	}
	return last
}
