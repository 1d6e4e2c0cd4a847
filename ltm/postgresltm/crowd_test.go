package postgresltm_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tea-agents/tea/internal/testserver/pgserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/postgresltm"
)

// crowd takes as many connections as the server gives.
func crowd(t *testing.T, server *pgserver.Server) {
	t.Helper()
	for {
		c, err := pgx.Connect(t.Context(), server.URL(server.Addr(), ""))
		if err != nil {
			return
		}
		t.Cleanup(func() { c.Close(t.Context()) })
	}
}

func TestAStoreMakesDoWithTheConnectionsThatItGets(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t, "max_connections=10")
	s := openURL(t, server.URL(server.Addr(), "max_conns=8"))
	crowd(t, server)
	var calls sync.WaitGroup
	for i := range 32 {
		calls.Go(func() {
			r := driver.Record{Key: driver.Key{Key: fmt.Sprint(i)}, Metadata: []byte("{}"), UpdatedAt: 1}
			_, errPut := s.Put(t.Context(), r, driver.Condition{})
			_, errGet := s.Get(t.Context(), r.Key)
			if err := errors.Join(errPut, errGet); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
}

func TestAServerWithoutRoomSaysWhatToSet(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t, "max_connections=10")
	crowd(t, server)
	u, err := url.Parse(server.URL(server.Addr(), ""))
	if err != nil {
		t.Fatal(err)
	}
	s, err := postgresltm.Open(t.Context(), u)
	if !errors.Is(err, driver.ErrUnavailable) || !strings.Contains(err.Error(), "max_connections") {
		t.Errorf("got %v, %v", s, err)
	}
}

func TestNotingAReadLeavesALargeValueWhereItIs(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t)
	s := openURL(t, server.URL(server.Addr(), "schema=large"))
	r := driver.Record{Key: driver.Key{Key: "k"}, Value: make([]byte, 4<<20), Metadata: []byte("{}"), UpdatedAt: 1}
	for i := range r.Value { // it does not compress
		r.Value[i] = byte(i * i >> 7 * i >> 3)
	}
	if _, err := s.Put(t.Context(), r, driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	before := written(t, server)
	if err := s.Touch(t.Context(), []driver.Key{r.Key}, 2); err != nil {
		t.Fatal(err)
	}
	if n := written(t, server) - before; n <= 0 || n > 1<<18 {
		t.Errorf("%d bytes were written", n)
	}
}

// written returns how many bytes of log the server has written.
func written(t *testing.T, server *pgserver.Server) (n int64) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), server.URL(server.Addr(), ""))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if err := c.QueryRow(t.Context(), "SELECT pg_current_wal_insert_lsn() - '0/0'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
