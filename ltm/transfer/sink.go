package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// OnConflict says what happens to an entry whose key holds another value,
// metadata or expiry at the destination.
type OnConflict string

// The ways to deal with a conflict. The zero OnConflict is Fail.
const (
	Fail      OnConflict = "fail"      // stop before the batch in which it is
	Skip      OnConflict = "skip"      // leave the destination's entry
	Overwrite OnConflict = "overwrite" // replace it
)

// ParseOnConflict reads one of them.
func ParseOnConflict(text string) (OnConflict, error) {
	known := []string{string(Fail), string(Skip), string(Overwrite)}
	if !slices.Contains(known, text) {
		return Fail, fmt.Errorf("unknown way %q to deal with conflicts; %s", text, diag.DidYouMean(text, known))
	}
	return OnConflict(text), nil
}

// Options are the choices of Import and Copy.
type Options struct {
	Namespaces []string // only those; nil is all
	OnConflict OnConflict
	DryRun     bool            // store nothing; look at the destination all the same
	Progress   func(n int64)   // is told of n entries more that are done; may be nil
	Damaged    func(Found)     // is told of every entry that cannot be read; may be nil
	Conflict   func(ltm.Entry) // is told of every conflict, with what was to be stored; may be nil
}

// Result counts entries by what became of them.
type Result struct {
	Entries     int64 // read
	Created     int64
	Overwritten int64
	Same        int64 // there already
	Skipped     int64 // conflicts that were left alone
	Expired     int64 // over since they were exported, so not stored
	Damaged     int64 // at the source, so left out
	Conflicts   int64 // that failed, or with DryRun would fail
}

// ErrConflict is in the error of a move that the destination stopped by holding
// something else under a key.
var ErrConflict = errors.New("the destination holds something else")

// sink stores entries in batches.
type sink struct {
	to  *ltm.Memory
	o   *Options
	res *Result

	batch []ltm.Entry
	bytes int64
}

// add takes an entry whose JSON is of about the given size.
func (s *sink) add(ctx context.Context, e *ltm.Entry, size int64) error {
	if len(s.batch) > 0 && (len(s.batch) == chunkEntries || s.bytes+size > chunkBytes) {
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
	s.batch = append(s.batch, *e)
	s.bytes += size
	return nil
}

// flush stores what was taken.
func (s *sink) flush(ctx context.Context) error {
	there, err := s.there(ctx)
	if err != nil {
		return err
	}
	var change []ltm.Entry
	var sum Result
	for i := range s.batch {
		if s.decide(&sum, &s.batch[i], there[i]) {
			change = append(change, s.batch[i])
		}
	}
	if sum.Conflicts == 0 && len(change) > 0 && !s.o.DryRun {
		if err := s.to.Restore(ctx, change); err != nil {
			return err
		}
	}
	if sum.Conflicts > 0 && !s.o.DryRun {
		s.res.Conflicts += sum.Conflicts
		return fmt.Errorf("%w under %d of the next %d keys", ErrConflict, sum.Conflicts, len(s.batch))
	}
	s.res.add(sum)
	if s.o.Progress != nil {
		s.o.Progress(int64(len(s.batch)))
	}
	s.batch, s.bytes = s.batch[:0], 0
	return nil
}

// there returns what the destination holds under the keys of the batch, nil
// where there is nothing.
func (s *sink) there(ctx context.Context) ([]*Found, error) {
	there := make([]*Found, len(s.batch))
	for from := 0; from < len(s.batch); {
		to := from + 1
		for to < len(s.batch) && s.batch[to].Namespace == s.batch[from].Namespace {
			to++
		}
		keys := make([]string, to-from)
		for i := range keys {
			keys[i] = s.batch[from+i].Key
		}
		found, err := readMany(ctx, s.to.In(s.to.Space(), s.batch[from].Namespace), keys)
		if err != nil {
			return nil, err
		}
		for i, key := range keys {
			if f, ok := found[key]; ok {
				there[from+i] = &f
			}
		}
		from = to
	}
	return there, nil
}

// decide counts what becomes of e and tells whether it has to be stored.
func (s *sink) decide(sum *Result, e *ltm.Entry, there *Found) bool {
	now := s.to.Now()
	switch {
	case e.Expired(now):
		sum.Expired++
		return false
	case there == nil, there.Err == nil && there.Expired(now):
		sum.Created++
		return true
	case there.Err == nil && same(e, &there.Entry):
		sum.Same++
		return false
	}
	if s.o.Conflict != nil {
		s.o.Conflict(*e)
	}
	switch s.o.OnConflict {
	case Skip:
		sum.Skipped++
		return false
	case Overwrite:
		sum.Overwritten++
		return true
	default:
		sum.Conflicts++
		return false
	}
}

// same tells whether two entries of one key are equal but for their age.
func same(a, b *ltm.Entry) bool {
	return a.ExpiresAt.Equal(b.ExpiresAt) && value.Equal(a.Value, b.Value) && value.Equal(a.Metadata, b.Metadata)
}

// add adds what became of a batch.
func (r *Result) add(n Result) {
	r.Created += n.Created
	r.Overwritten += n.Overwritten
	r.Same += n.Same
	r.Skipped += n.Skipped
	r.Expired += n.Expired
	r.Conflicts += n.Conflicts
}
