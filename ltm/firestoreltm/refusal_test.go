package firestoreltm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tea-agents/tea/ltm/driver"
)

// What Firestore refuses is an error that says what to do.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code  codes.Code
		write bool // only what changes something is refused
		kind  error
		says  string
	}{
		{codes.NotFound, false, driver.ErrConfig, "no database"},
		{codes.FailedPrecondition, false, driver.ErrConfig, "Native mode"},
		{codes.Unauthenticated, false, driver.ErrConfig, "gcloud auth application-default login"},
		{codes.PermissionDenied, false, driver.ErrConfig, "roles/datastore.user"},
		{codes.PermissionDenied, true, driver.ErrReadOnly, "roles/datastore.user"},
		{codes.ResourceExhausted, true, driver.ErrUnavailable, "so it is"},
		{codes.Unavailable, false, driver.ErrUnavailable, "so it is"},
		{codes.InvalidArgument, true, nil, "so it is"},
	} {
		t.Run(fmt.Sprint(tt.code, " write=", tt.write), func(t *testing.T) {
			t.Parallel()
			s := watch(t)
			store := open(t, fresh(s.addr))
			s.answer(func(r any) error {
				if _, ok := r.(*pb.CommitRequest); tt.write && !ok {
					return nil
				}
				return status.Error(tt.code, "so it is")
			}, nil)
			err := put(t.Context(), store, "k", "v")
			if err == nil || tt.kind != nil && !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "rpc error") {
				t.Errorf("got %v, want %v with %q", err, tt.kind, tt.says)
			}
			another, err := tryOpen(t.Context(), fresh(s.addr))
			if err == nil {
				err = another.Close()
			}
			if tt.kind == driver.ErrConfig && !errors.Is(err, tt.kind) { //nolint:errorlint // it is the very one
				t.Errorf("open returns %v", err)
			}
			if tt.kind == driver.ErrReadOnly && err != nil { //nolint:errorlint // it is the very one
				t.Errorf("a store that cannot be written to: %v", err)
			}
		})
	}
}

// A change whose answer is lost is not made again, by nobody: it may have
// happened, and would meet itself.
func TestAChangeIsSentOnce(t *testing.T) {
	t.Parallel()
	s := watch(t)
	store := open(t, fresh(s.addr))
	for _, code := range []codes.Code{codes.Unavailable, codes.Internal, codes.DeadlineExceeded, codes.ResourceExhausted} {
		s.answer(nil, func(any) error { return status.Error(code, "the answer is lost") })
		r := driver.Record{Key: key(code.String()), Value: []byte("v"), Metadata: []byte("{}"), UpdatedAt: 1}
		_, err := store.Put(t.Context(), r, driver.Condition{Absent: true})
		if n := count[*pb.CommitRequest](s); !errors.Is(err, driver.ErrUnavailable) || n != 1 {
			t.Errorf("%v: sent %d times, %v", code, n, err)
		}
		s.answer(nil, nil)
		if _, err := store.Get(t.Context(), r.Key); err != nil {
			t.Errorf("%v: it did happen, but %v", code, err)
		}
	}
}

// While Firestore aborts commits in favour of others, they are made again.
func TestAbortedCommitsAreMadeAgain(t *testing.T) {
	t.Parallel()
	s := watch(t)
	store := open(t, fresh(s.addr))
	left := 5
	s.answer(func(r any) error {
		if _, ok := r.(*pb.CommitRequest); ok && left > 0 {
			left--
			return status.Error(codes.Aborted, "too much contention on these documents")
		}
		return nil
	}, nil)
	if err := put(t.Context(), store, "k", "v"); err != nil || count[*pb.CommitRequest](s) != 6 {
		t.Errorf("%d commits, %v", count[*pb.CommitRequest](s), err)
	}
}
