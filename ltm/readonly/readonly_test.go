package readonly_test

import (
	"errors"
	"net/url"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/ltm/readonly"
	"github.com/tea-agents/tea/ltm/sqliteltm"

	"context"
)

// split reads through one store and writes through the one underneath.
type split struct {
	driver.Layer // what is written to
	read         *readonly.Store
}

func (s *split) Get(ctx context.Context, k driver.Key) (driver.Record, error) {
	return s.read.Get(ctx, k)
}

func (s *split) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	return s.read.List(ctx, q)
}

func (s *split) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	return s.read.Search(ctx, q, terms)
}

func (s *split) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	return s.read.GetBatch(ctx, keys)
}

func (s *split) Revision(ctx context.Context) (int64, error) { return s.read.Revision(ctx) }

func (s *split) Stats(ctx context.Context, space driver.Space) ([]driver.Stats, error) {
	return s.read.Stats(ctx, space)
}

func (s *split) Close() error { return s.read.Close() }

func TestReadingConforms(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(t *testing.T) driver.Store {
		t.Helper()
		s, err := sqliteltm.Open(t.Context(), &url.URL{Scheme: "sqlite", Opaque: ":memory:"})
		if err != nil {
			t.Fatal(err)
		}
		return &split{driver.Layer{Store: s}, readonly.New(s)}
	}, drivertest.Options{Checks: 10_000})
}

func TestNothingCanBeChanged(t *testing.T) {
	t.Parallel()
	inner := memltm.New()
	key := driver.Key{Key: "k"}
	r := driver.Record{Key: key, Metadata: []byte("{}"), UpdatedAt: 1, ExpiresAt: 2}
	if _, err := inner.Put(t.Context(), r, driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	before, _ := inner.Get(t.Context(), key)
	s := readonly.New(inner)
	changes := func(ctx context.Context) map[string]error {
		_, put := s.Put(ctx, r, driver.Condition{})
		_, del := s.Delete(ctx, key, 0)
		_, expired := s.DeleteExpired(ctx, driver.User, 9, 9)
		_, puts := s.PutBatch(ctx, []driver.Record{r})
		_, dels := s.DeleteBatch(ctx, []driver.Ref{{Key: key}})
		return map[string]error{"Put": put, "Delete": del, "DeleteExpired": expired, "PutBatch": puts,
			"DeleteBatch": dels, "Touch": s.Touch(ctx, []driver.Key{key}, 9)}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	check := func(ctx context.Context, want error) {
		t.Helper()
		for name, err := range changes(ctx) {
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
		}
	}
	check(t.Context(), driver.ErrReadOnly)
	check(over, context.Canceled)
	if after, err := s.Get(t.Context(), key); err != nil || after.Revision != before.Revision || after.AccessedAt != before.AccessedAt {
		t.Errorf("got %+v, %v", after, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check(t.Context(), driver.ErrClosed)
}
