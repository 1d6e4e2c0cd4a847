package firestoreltm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/firestoreltm"
)

func TestMain(m *testing.M) {
	if err := os.Unsetenv("FIRESTORE_EMULATOR_HOST"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, badnet.Leaks()...)
}

var projects atomic.Int64

// fresh returns the URL of a new and empty store of the server at addr.
func fresh(addr string) string {
	return fmt.Sprintf("firestore://project-%d/memory?emulator=%s", projects.Add(1), addr)
}

func tryOpen(ctx context.Context, raw string) (driver.Store, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, err
	}
	return firestoreltm.Open(ctx, u)
}

// open opens a store and closes it when the test ends.
func open(tb testing.TB, raw string) driver.Store {
	tb.Helper()
	s, err := tryOpen(tb.Context(), raw)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// raw is a client beneath the store.
func raw(tb testing.TB, addr string) pb.FirestoreClient {
	tb.Helper()
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(20<<20)))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { conn.Close() })
	return pb.NewFirestoreClient(conn)
}

// database is the one of a URL that fresh returned.
func database(url string) string {
	project, _, _ := strings.Cut(strings.TrimPrefix(url, "firestore://"), "/")
	return "projects/" + project + "/databases/(default)"
}

// documents returns the names of the documents in a collection of a store.
func documents(t *testing.T, c pb.FirestoreClient, url, collection string) (names []string) {
	t.Helper()
	stream, err := c.RunQuery(t.Context(), &pb.RunQueryRequest{
		Parent: database(url) + "/documents/memory/store",
		QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: &pb.StructuredQuery{
			From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: collection}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for {
		a, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		if a.GetDocument() != nil {
			names = append(names, a.GetDocument().GetName())
		}
	}
}

// removeParts deletes all parts in a store.
func removeParts(t *testing.T, addr, url string) {
	t.Helper()
	c := raw(t, addr)
	r := &pb.CommitRequest{Database: database(url)}
	for _, name := range documents(t, c, url, "tea_parts") {
		r.Writes = append(r.Writes, &pb.Write{Operation: &pb.Write_Delete{Delete: name}})
	}
	if _, err := c.Commit(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}
