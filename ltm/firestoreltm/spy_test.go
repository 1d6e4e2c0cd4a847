package firestoreltm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/tea-agents/tea/internal/testserver/firestoreserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

// spy is a server before an emulator. It sees what is asked, and may answer in
// the emulator's place.
type spy struct {
	pb.UnimplementedFirestoreServer
	addr, upstream string
	back           pb.FirestoreClient

	mu       sync.Mutex
	before   func(request any) error // what to answer instead of asking
	after    func(request any) error // what to answer in place of the answer
	requests []any
	wrong    []string // with where requests go to
}

// watch starts a spy.
func watch(tb testing.TB) *spy {
	tb.Helper()
	upstream := firestoreserver.Start(tb)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := &spy{addr: l.Addr().String(), upstream: upstream, back: raw(tb, upstream)}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(20 << 20))
	pb.RegisterFirestoreServer(server, s)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) }) // until it is stopped
	tb.Cleanup(func() {
		server.Stop()
		serving.Wait()
	})
	return s
}

// see notes a request, and returns what to answer instead.
func (s *spy) see(ctx context.Context, request any, database string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
	m, _ := metadata.FromIncomingContext(ctx)
	_, id, _ := strings.Cut(database, "/databases/")
	id, _, _ = strings.Cut(id, "/")
	params := strings.Join(m.Get("x-goog-request-params"), "&")
	if !slices.Equal(m.Get("authorization"), []string{"Bearer owner"}) || !strings.Contains(params, "database_id="+url.QueryEscape(id)) ||
		len(m.Get("google-cloud-resource-prefix")) != 1 {
		s.wrong = append(s.wrong, fmt.Sprintf("%T has the header %v", request, m))
	}
	if s.before == nil {
		return nil
	}
	return s.before(request)
}

func (s *spy) then(request any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.after == nil {
		return nil
	}
	return s.after(request)
}

// answer says what to answer from now on, instead of asking and after it.
func (s *spy) answer(before, after func(request any) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.after, s.requests = before, after, nil
}

// count returns how many requests of a kind there were.
func count[R any](s *spy) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if _, ok := r.(R); ok {
			n++
		}
	}
	return n
}

func (s *spy) Commit(ctx context.Context, r *pb.CommitRequest) (*pb.CommitResponse, error) {
	if err := s.see(ctx, r, r.GetDatabase()); err != nil {
		return nil, err
	}
	a, err := s.back.Commit(ctx, r)
	return a, errors.Join(err, s.then(r))
}

func (s *spy) BatchGetDocuments(r *pb.BatchGetDocumentsRequest, to pb.Firestore_BatchGetDocumentsServer) error {
	if err := s.see(to.Context(), r, r.GetDatabase()); err != nil {
		return err
	}
	from, err := s.back.BatchGetDocuments(to.Context(), r)
	if err != nil {
		return err
	}
	return forward(from.Recv, to.Send)
}

func (s *spy) RunQuery(r *pb.RunQueryRequest, to pb.Firestore_RunQueryServer) error {
	if err := s.see(to.Context(), r, r.GetParent()); err != nil {
		return err
	}
	from, err := s.back.RunQuery(to.Context(), r)
	if err != nil {
		return err
	}
	return forward(from.Recv, to.Send)
}

func forward[A any](from func() (A, error), to func(A) error) error {
	for {
		a, err := from()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = to(a)
		}
		if err != nil {
			return err
		}
	}
}

// Every query is one that the index of a single field answers: nobody has to
// make an index. And every request says to which database it goes.
func TestNoIndexHasToBeMade(t *testing.T) {
	t.Parallel()
	s := watch(t)
	for _, group := range []string{"list", "filter", "order", "page", "text", "expirer", "random"} {
		for _, broken := range drivertest.Violations(t.Context(), group, func() driver.Store { return open(t, fresh(s.addr)) }) {
			t.Error(broken)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	queries := 0
	for _, r := range s.requests {
		if r, ok := r.(*pb.RunQueryRequest); ok {
			queries++
			if why := needsIndex(r.GetStructuredQuery()); why != "" {
				t.Errorf("%s: %v", why, r)
			}
		}
	}
	if queries < 500 || len(s.wrong) > 0 {
		t.Errorf("%d queries, %v", queries, s.wrong)
	}
}

// needsIndex tells why a query has none of the automatic indexes.
func needsIndex(q *pb.StructuredQuery) string {
	fields := map[string]bool{}
	for _, o := range q.GetOrderBy() {
		fields[o.GetField().GetFieldPath()] = true
	}
	where := []*pb.StructuredQuery_Filter{q.GetWhere()}
	if c := q.GetWhere().GetCompositeFilter(); c != nil {
		where = c.GetFilters()
	}
	for _, f := range where {
		fields[f.GetFieldFilter().GetField().GetFieldPath()] = true
		if n := len(f.GetFieldFilter().GetValue().GetArrayValue().GetValues()); n > 30 {
			return fmt.Sprint(n, " alternatives")
		}
		if f.GetFieldFilter().GetOp() == pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS_ANY && len(q.GetOrderBy()) > 0 {
			return "an order beside a list of tokens"
		}
	}
	if len(fields) != 1 {
		return fmt.Sprint(len(fields), " fields")
	}
	return ""
}
