package firestoreltm_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"github.com/tea-agents/tea/internal/testserver/firestoreserver"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/driver"
)

// Any number of processes may open a new store at once.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	u := fresh(firestoreserver.Start(t))
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			s, err := tryOpen(t.Context(), u)
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(put(t.Context(), s, fmt.Sprint(i), "v"), s.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	found, err := open(t, u).List(t.Context(), driver.Query{Limit: 100})
	if err != nil || len(found) != 12 {
		t.Errorf("%d of 12 records are there: %v", len(found), err)
	}
}

// A store tells its format and Firestore's time; one of a newer program, or
// nobody's, is not opened.
func TestFormat(t *testing.T) {
	t.Parallel()
	addr := firestoreserver.Start(t)
	u := fresh(addr)
	before := time.Now().UnixMilli()
	f, err := driver.Inspect(t.Context(), open(t, u))
	if err != nil || f.Product != "Firestore" || f.Format != 1 || f.Newest != 1 || f.Time < before-100 || f.Time > time.Now().UnixMilli()+100 {
		t.Errorf("%+v, %v", f, err)
	}
	for format, want := range map[int64]error{2: driver.ErrNewer, -1: driver.ErrCorrupt} {
		_, err := raw(t, addr).Commit(t.Context(), &pb.CommitRequest{Database: database(u), Writes: []*pb.Write{{
			Operation: &pb.Write_Update{Update: &pb.Document{Name: database(u) + "/documents/memory/store", Fields: map[string]*pb.Value{
				"format": {ValueType: &pb.Value_IntegerValue{IntegerValue: format}},
			}}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tryOpen(t.Context(), u); !errors.Is(err, want) {
			t.Errorf("format %d: %v, want %v", format, err, want)
		}
	}
}

// Collections and databases are apart.
func TestStoresAreApart(t *testing.T) {
	t.Parallel()
	u := fresh(firestoreserver.Start(t))
	if err := put(t.Context(), open(t, u), "k", "v"); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{u + "&database=second", strings.Replace(u, "/memory", "/other", 1)} {
		if _, err := open(t, other).Get(t.Context(), key("k")); !errors.Is(err, driver.ErrNotFound) {
			t.Errorf("%s: %v", other, err)
		}
	}
}

// Where credentials are missing the error says which ones are looked for.
func TestMissingCredentials(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none.json"))
	_, err := builtin.Mux().Open(t.Context(), "firestore://project/memory", nil)
	if !errors.Is(err, driver.ErrConfig) || !strings.Contains(err.Error(), "gcloud auth application-default login") {
		t.Errorf("%v", err)
	}
}

// Through the list of stores, too; and FIRESTORE_EMULATOR_HOST is where Google's
// own clients go.
func TestEmulatorOfTheEnvironment(t *testing.T) {
	t.Setenv("FIRESTORE_EMULATOR_HOST", firestoreserver.Start(t))
	m, err := builtin.Mux().Open(context.WithoutCancel(t.Context()), "firestore://project/memory?memory=1MiB", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.Ready(t.Context()), m.Close()); err != nil {
		t.Error(err)
	}
}
