package firestoreltm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tea-agents/tea/ltm/driver"
)

// Close implements driver.Store. It ends calls under way.
func (s *Store) Close() error {
	s.mu.Lock()
	closed := s.life.Err() != nil
	s.end()
	s.mu.Unlock()
	s.calls.Wait()
	if closed {
		return nil
	}
	return s.client.Close()
}

// do makes a call: f gets a context that ends with ctx or with the store.
func (s *Store) do(ctx context.Context, f func(context.Context) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	return s.fail(ctx, f(inner))
}

// begin counts a call, or returns why it cannot be made.
func (s *Store) begin(ctx context.Context) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.life.Err() != nil {
		return driver.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.calls.Add(1)
	return nil
}

// request returns the context of one request, which says where it goes.
func (s *Store) request(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	return metadata.AppendToOutgoingContext(ctx,
		"google-cloud-resource-prefix", s.path(),
		"x-goog-request-params", "project_id="+url.QueryEscape(s.project)+"&database_id="+url.QueryEscape(s.database),
	), cancel
}

// commit makes changes, all of them or none.
func (s *Store) commit(ctx context.Context, r *pb.CommitRequest) error {
	ctx, cancel := s.request(ctx)
	defer cancel()
	_, err := s.client.Commit(ctx, r)
	return refused(err)
}

// fetch reads documents by their names; what is not there is not in the answer.
// fields are what to read of them, nil is all. It also returns the server's time.
func (s *Store) fetch(ctx context.Context, names, fields []string) (map[string]*pb.Document, *timestamppb.Timestamp, error) {
	ctx, cancel := s.request(ctx)
	defer cancel()
	r := &pb.BatchGetDocumentsRequest{Database: s.path(), Documents: names}
	if fields != nil {
		r.Mask = &pb.DocumentMask{FieldPaths: fields}
	}
	stream, err := s.client.BatchGetDocuments(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	var at *timestamppb.Timestamp
	found, answers := make(map[string]*pb.Document, len(names)), 0
	for {
		a, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		at = a.GetReadTime()
		if d := a.GetFound(); d != nil {
			found[d.GetName()] = d
		}
		if a.GetResult() != nil {
			answers++
		}
	}
	if answers < len(names) {
		return nil, nil, fmt.Errorf("%w: Firestore tells of %d documents instead of %d", driver.ErrUnavailable, answers, len(names))
	}
	return found, at, nil
}

// query calls each with the documents of a space that q selects.
func (s *Store) query(ctx context.Context, space driver.Space, q *pb.StructuredQuery, each func(*document) error) error {
	ctx, cancel := s.request(ctx)
	defer cancel()
	q.From = []*pb.StructuredQuery_CollectionSelector{{CollectionId: s.spaceName(space)}}
	stream, err := s.client.RunQuery(ctx, &pb.RunQueryRequest{
		Parent: s.store(), QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: q},
	})
	if err != nil {
		return err
	}
	for {
		a, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if a.GetDocument() == nil { // it tells the time only
			continue
		}
		d, err := read(space, a.GetDocument())
		if err == nil {
			err = each(d)
		}
		if err != nil {
			return err
		}
	}
}
