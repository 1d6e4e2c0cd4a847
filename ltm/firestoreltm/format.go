package firestoreltm

import (
	"context"
	"errors"
	"fmt"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"github.com/tea-agents/tea/ltm/driver"
)

// prepare makes sure that the store has the present format.
func (s *Store) prepare(ctx context.Context) error {
	version, _, err := s.format(ctx)
	switch {
	case err != nil:
		return err
	case version > formatVersion:
		return fmt.Errorf("%w: it has format %d, this program knows up to %d", driver.ErrNewer, version, formatVersion)
	case version == formatVersion:
		return nil
	}
	err = s.commit(ctx, &pb.CommitRequest{Database: s.path(), Writes: []*pb.Write{{
		Operation: &pb.Write_Update{Update: &pb.Document{
			Name: s.store(), Fields: map[string]*pb.Value{formatField: number(formatVersion)},
		}},
		CurrentDocument: unchanged(nil),
	}}})
	if overtaken(err) || errors.Is(err, driver.ErrReadOnly) {
		return nil // another process was faster, or it is read only
	}
	return err
}

// format returns the version of the format, 0 where there is no store yet, and
// the server's time.
func (s *Store) format(ctx context.Context) (int, time.Time, error) {
	found, at, err := s.fetch(ctx, []string{s.store()}, nil)
	if err != nil {
		return 0, time.Time{}, err
	}
	if d := found[s.store()]; d != nil {
		version := d.GetFields()[formatField].GetIntegerValue()
		if version < 1 {
			return 0, time.Time{}, fmt.Errorf("%w: the document %s/%s is damaged, or not ours", driver.ErrCorrupt, s.collection, storeID)
		}
		return int(version), at.AsTime(), nil
	}
	return 0, at.AsTime(), nil
}

// Inspect implements driver.Inspector.
func (s *Store) Inspect(ctx context.Context) (f driver.Facts, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		version, at, err := s.format(ctx)
		f = driver.Facts{Product: "Firestore", Format: version, Newest: formatVersion, Time: at.UnixMilli()}
		return err
	})
	return f, err
}
