package firestoreltm

import (
	"context"
	"fmt"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/proto"

	"github.com/tea-agents/tea/ltm/driver"
)

const (
	maxWrites = 500      // in a commit
	maxCommit = 10 << 20 // bytes
	batchSize = 4 << 20  // bytes of several records in one

	attempts   = 100 // while others change the same records
	firstPause = 2 * time.Millisecond
	lastPause  = 100 * time.Millisecond
)

// job is a change of one record.
type job struct {
	key driver.Key
	// write returns the writes that change the record from what it is, nil where
	// there is none. rank is its place in the commit. It may be called again.
	write func(old *document, rank int64) ([]*pb.Write, error)
}

// change does jobs, in one commit unless that is too large. They have different
// keys. It looks what is there and asks Firestore to commit only if that is still
// so; else it begins again. So no lock is held that a process which dies could
// leave behind.
func (s *Store) change(ctx context.Context, jobs []job) error {
	keys := make([]driver.Key, len(jobs))
	for i := range jobs {
		keys[i] = jobs[i].key
	}
	for attempt, pause := 1, firstPause; ; attempt++ {
		olds, err := s.heads(ctx, keys, headFields())
		if err != nil {
			return err
		}
		var writes []*pb.Write
		for i := range jobs {
			w, err := jobs[i].write(olds[i], int64(i))
			if err != nil {
				return err
			}
			writes = append(writes, w...)
		}
		if len(writes) == 0 {
			return nil
		}
		request := &pb.CommitRequest{Database: s.path(), Writes: writes}
		if half := len(jobs) / 2; half > 0 && (len(writes) > maxWrites || proto.Size(request) > maxCommit) {
			if err := s.change(ctx, jobs[:half]); err != nil {
				return err
			}
			return s.change(ctx, jobs[half:])
		}
		err = s.commit(ctx, request)
		if !overtaken(err) {
			return err
		}
		if attempt == attempts {
			return fmt.Errorf("%w: others change the same records all the time", driver.ErrUnavailable)
		}
		rest(ctx, pause)
		pause = min(2*pause, lastPause)
	}
}

// rest waits, or less if ctx ends.
func rest(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}

// unchanged asks that a document is what was read.
func unchanged(old *document) *pb.Precondition {
	if old == nil {
		return &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: false}}
	}
	return &pb.Precondition{ConditionType: &pb.Precondition_UpdateTime{UpdateTime: old.updated}}
}

// putting returns the job that puts r, and says in created whether it is new.
func (s *Store) putting(r *driver.Record, c driver.Condition, created *bool) job {
	return job{key: r.Key, write: func(old *document, rank int64) ([]*pb.Write, error) {
		var there *driver.Record
		since, writes, parts := r.UpdatedAt, int64(1), 0
		if old != nil {
			there, writes, parts = &old.Record, old.writes+1, old.parts
		}
		if !c.Holds(there, r.UpdatedAt) {
			return nil, driver.ErrConflict
		}
		*created = there == nil || there.Expired(r.UpdatedAt)
		if !*created {
			since = there.CreatedAt
		}
		documents := s.write(r, since, writes, rank)
		all := make([]*pb.Write, 0, len(documents))
		for _, d := range documents {
			all = append(all, &pb.Write{Operation: &pb.Write_Update{Update: d}})
		}
		all[0].CurrentDocument = unchanged(old)
		return append(all, s.without(r.Key, len(documents)-1, parts)...), nil
	}}
}

// without returns the writes that delete parts of a record.
func (s *Store) without(key driver.Key, from, to int) []*pb.Write {
	var all []*pb.Write
	for n := from; n < to; n++ {
		all = append(all, &pb.Write{Operation: &pb.Write_Delete{Delete: s.part(key, n)}})
	}
	return all
}

// Put implements driver.Store.
func (s *Store) Put(ctx context.Context, r driver.Record, c driver.Condition) (created bool, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		if err := fits(&r); err != nil {
			return err
		}
		return s.change(ctx, []job{s.putting(&r, c, &created)})
	})
	return created && err == nil, err
}

// fits tells what is wrong with the size of r.
func fits(r *driver.Record) error {
	if n := load(r); n > maxSize {
		return fmt.Errorf("%w: %.60q has %d bytes of value, metadata and words to be found by, and Firestore room for %d",
			driver.ErrFull, r.Key.Key, n, maxSize)
	}
	return nil
}

// PutBatch implements driver.BatchPutter: a commit for every two hundred records
// or 4 MiB.
func (s *Store) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	created := make([]bool, len(records))
	err := s.do(ctx, func(ctx context.Context) error {
		for i := range records {
			if err := fits(&records[i]); err != nil {
				return err
			}
		}
		_, err := s.inBatches(ctx, len(records), func(i int) (job, int) {
			return s.putting(&records[i], driver.Condition{}, &created[i]), load(&records[i])
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return created, nil
}

// inBatches does n jobs in order and returns how many it has done. get returns
// one, and how many bytes it sends.
func (s *Store) inBatches(ctx context.Context, n int, get func(i int) (job, int)) (done int, err error) {
	var jobs []job
	total, keys := 0, map[driver.Key]bool{}
	for i := range n {
		j, size := get(i)
		if keys[j.key] || len(jobs) == batchCount || len(jobs) > 0 && total+size > batchSize {
			if err := s.change(ctx, jobs); err != nil {
				return done, err
			}
			done += len(jobs)
			jobs, total = nil, 0
			clear(keys)
		}
		jobs, total, keys[j.key] = append(jobs, j), total+size, true
	}
	if len(jobs) > 0 {
		err = s.change(ctx, jobs)
	}
	if err == nil {
		done = n
	}
	return done, err
}

// deleting returns the job that deletes a revision, any where it is 0, and says
// whether it did.
func (s *Store) deleting(ref driver.Ref, deleted *bool) job {
	return job{key: ref.Key, write: func(old *document, _ int64) ([]*pb.Write, error) {
		*deleted = old != nil && (ref.Revision == 0 || ref.Revision == old.Revision)
		if !*deleted {
			return nil, nil
		}
		own := &pb.Write{Operation: &pb.Write_Delete{Delete: s.name(ref.Key)}, CurrentDocument: unchanged(old)}
		return append([]*pb.Write{own}, s.without(ref.Key, 0, old.parts)...), nil
	}}
}

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, revision int64) (bool, error) {
	deleted, err := s.DeleteBatch(ctx, []driver.Ref{{Key: key, Revision: revision}})
	return len(deleted) > 0 && deleted[0], err
}

// DeleteBatch implements driver.BatchDeleter: a commit for every two hundred.
func (s *Store) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	deleted, done := make([]bool, len(refs)), 0
	err := s.do(ctx, func(ctx context.Context) (err error) {
		done, err = s.inBatches(ctx, len(refs), func(i int) (job, int) { return s.deleting(refs[i], &deleted[i]), 0 })
		return err
	})
	return deleted[:done], err
}

// DeleteExpired implements driver.Expirer.
func (s *Store) DeleteExpired(ctx context.Context, space driver.Space, now int64, limit int) (int, error) {
	if err := s.begin(ctx); err != nil { // where there is nothing to delete
		return 0, err
	}
	s.calls.Done()
	q := driver.Query{Space: space, ExpiredBy: now, Order: driver.ByExpiry}
	return driver.DeleteListed(ctx, s, q, limit)
}
