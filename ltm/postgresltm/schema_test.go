package postgresltm_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/tea-agents/tea/internal/testserver/pgserver"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/postgresltm"
	"github.com/tea-agents/tea/value"
)

func TestManyOpenAFreshDatabaseAtOnce(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{"read committed", "serializable"} { // a server's default may be any
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			server := pgserver.Start(t, "default_transaction_isolation="+isolation)
			for range 5 {
				manyOpen(t, fresh(server))
			}
		})
	}
}

// manyOpen opens a store by many at once, who put something each.
func manyOpen(t *testing.T, raw string) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			m, err := builtin.Mux().Open(t.Context(), raw, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := m.Put(t.Context(), fmt.Sprint(i), value.Int(1), nil); err != nil {
				t.Error(err)
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	found, err := openURL(t, raw).List(t.Context(), driver.Query{Limit: 100})
	if err != nil || len(found) != 8 {
		t.Errorf("%d of 8 are there, %v", len(found), err)
	}
}

// opens checks how a URL cannot be opened.
func opens(t *testing.T, raw string, kind error, says string) {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	s, err := postgresltm.Open(t.Context(), u)
	if err == nil {
		t.Errorf("%s: it opens", raw)
		s.Close()
	} else if !errors.Is(err, kind) || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want %v that says %s", raw, err, kind, says)
	}
}

func TestDatabasesThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t)
	at := func(params string) string { return server.URL(server.Addr(), params) }
	opens(t, at("schema=empty&readonly=true"), driver.ErrReadOnly, "format 0")

	server.Exec(t, `CREATE SCHEMA foreign1 CREATE TABLE tea_store (id int, a text)`)
	opens(t, at("schema=foreign1"), driver.ErrCorrupt, "not one of ours")
	server.Exec(t, `CREATE SCHEMA foreign2 CREATE TABLE tea_store (id int, format int)`)
	opens(t, at("schema=foreign2"), driver.ErrCorrupt, "not one of ours")

	openURL(t, at("schema=newer"))
	server.Exec(t, `UPDATE newer.tea_store SET format = 99`)
	opens(t, at("schema=newer"), driver.ErrNewer, "format 99")

	server.Exec(t, `CREATE DATABASE latin ENCODING LATIN1 TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`)
	opens(t, strings.Replace(at(""), "/postgres?", "/latin?", 1), driver.ErrConfig, "LATIN1")
	opens(t, strings.Replace(at(""), "/postgres?", "/nowhere?", 1), driver.ErrConfig, "nowhere")
	opens(t, strings.Replace(at(""), "tea@", "nobody@", 1), driver.ErrConfig, "nobody")

	server.Exec(t, `CREATE ROLE guest LOGIN`)
	opens(t, strings.Replace(at("schema=theirs"), "tea@", "guest@", 1), driver.ErrReadOnly, "permission denied")
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t)
	raw := fresh(server)
	key := driver.Key{Key: "k"}
	r := driver.Record{Key: key, Value: []byte("v"), Metadata: []byte("{}"), UpdatedAt: 1}
	if _, err := openURL(t, raw).Put(t.Context(), r, driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	byURL := openURL(t, raw+"&readonly=true")
	server.Exec(t, `ALTER ROLE tea SET default_transaction_read_only = on`)
	for name, s := range map[string]*postgresltm.Store{"by URL": byURL, "by the server": openURL(t, raw)} {
		if _, err := s.Get(t.Context(), key); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_, put := s.Put(t.Context(), r, driver.Condition{})
		_, deleted := s.Delete(t.Context(), key, 0)
		for _, err := range []error{put, deleted, s.Touch(t.Context(), []driver.Key{key}, 9)} {
			if !errors.Is(err, driver.ErrReadOnly) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	server.Exec(t, `SET default_transaction_read_only = off`)
}

func TestUsersOfTheMuxSeeKinds(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t)
	m, err := builtin.Mux().Open(t.Context(), fresh(server), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	server.Kill(t)
	if _, err := m.Get(t.Context(), "k"); !errors.Is(err, ltm.ErrUnavailable) {
		t.Errorf("a dead server: %v", err)
	}
	server.Restart(t)
	if _, err := m.Get(t.Context(), "k"); !errors.Is(err, ltm.ErrNotFound) {
		t.Errorf("it is back: %v", err)
	}
}
