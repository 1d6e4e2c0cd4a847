package redisltm

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/tea-agents/tea/ltm/driver"
)

const (
	partRows  = 1000    // what is read at a time
	partBytes = 8 << 20 // or, after these, less
	firstRows = 50      // of what may be little
)

// scan reads the records of a span, part by part, in the direction of the query.
// The caller may keep and change what it gets.
func (l *listing) scan(ctx context.Context, sp span) iter.Seq2[[]driver.Record, error] {
	return func(yield func([]driver.Record, error) bool) {
		count := partRows
		if l.whole {
			count = min(l.q.Limit, partRows)
		} else if l.q.Limit < firstRows {
			count = firstRows
		}
		for sp.begin < sp.end {
			members, found, err := l.part(ctx, sp, count)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(members) == 0 || !yield(found, nil) {
				return
			}
			left := after([]span{sp}, direction(l.q.Desc), members[len(members)-1])
			if len(left) == 0 {
				return
			}
			sp, count = left[0], min(2*count, partRows)
		}
	}
}

// part reads a part of a span: its members, and the records that they lead to.
func (l *listing) part(ctx context.Context, sp span, count int) ([]string, []driver.Record, error) {
	s, space := l.store, l.q.Space
	from, to, command := "["+sp.begin, "("+sp.end, "ZRANGEBYLEX"
	if l.q.Desc {
		from, to, command = to, from, "ZREVRANGEBYLEX"
	}
	args := []any{s.rows(space), from, to, command, count, partBytes}
	for _, field := range l.fields() {
		args = append(args, field)
	}
	rows, err := s.run(ctx, s.scripts.scan, space, nil, args).Slice()
	if err != nil {
		return nil, nil, err
	}
	members := make([]string, 0, len(rows))
	found := make([]driver.Record, 0, len(rows))
	for _, row := range rows {
		fields, ok := row.([]any)
		if !ok || len(fields) < 2 {
			return nil, nil, fmt.Errorf("%w: the index is damaged", driver.ErrCorrupt)
		}
		member, _ := fields[0].(string)
		members = append(members, member)
		r, ok, err := l.read(member, fields[1:])
		switch {
		case err != nil:
			return nil, nil, err
		case ok:
			found = append(found, r)
		default:
			l.stale = append(l.stale, member)
		}
	}
	return members, found, nil
}

// fields returns the fields to read.
func (l *listing) fields() []string {
	switch {
	case l.whole:
		return fieldsOf()
	case len(l.q.Filters) > 0:
		return fieldsOf()[:2]
	default:
		return fieldsOf()[:1]
	}
}

// read makes a record of a member of the index and the fields of its row, and
// tells whether it is there and still where the index has it.
func (l *listing) read(member string, fields []any) (driver.Record, bool, error) {
	head, id := split(member)
	key, ok := keyOf(l.q.Space, id)
	if !ok {
		return driver.Record{}, false, nil
	}
	r, ok, err := record(key, fields)
	if err != nil || !ok {
		return r, false, err
	}
	if o := slices.Index([]string{laneKey, laneCreated, laneUpdated, laneAccessed, laneExpires}, head[:1]); o > 0 {
		q := driver.Query{Order: driver.Order(o)}
		ok = head == timeHead(head[:1], q.Position(&r).At)
	}
	return r, ok, nil
}

// clean takes what was found stale out of the index. That it fails, or that the
// store cannot be written, only leaves it to the next.
func (l *listing) clean(ctx context.Context) {
	s := l.store
	if s.config.readOnly {
		return
	}
	for part := range slices.Chunk(l.stale, partRows) {
		args := []any{s.rows(l.q.Space)}
		for _, member := range part {
			args = append(args, member)
		}
		if s.run(ctx, s.scripts.sweep, l.q.Space, nil, args).Err() != nil {
			return
		}
	}
}
