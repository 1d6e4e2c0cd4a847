package doctor_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/doctor"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// summary is a report as "check: state" words.
func summary(r *doctor.Report) string {
	var words []string
	for _, f := range r.Findings {
		words = append(words, f.Check+": "+string(f.State))
	}
	return strings.Join(words, ", ")
}

const (
	opened  = "connect: ok, format: ok, clock: ok, "
	healthy = opened + "write: ok, read: ok, delete: ok, put if absent: ok, put if unchanged: ok, lease: ok, search: ok, latency: ok"
)

func TestHealthyStores(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"mem:", "sqlite://" + filepath.Join(t.TempDir(), "m.db"), "mem:?memory=1MiB&namespace=n"} {
		m, err := builtin.Mux().Lazy(url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Put(t.Context(), "mine", value.Int(1), nil); err != nil {
			t.Fatal(err)
		}
		r := doctor.Examine(t.Context(), m, &doctor.Options{Samples: 10})
		if got := summary(r); got != healthy || r.Failed() || r.Get.Samples != 10 || r.Put.P99 < r.Put.P50 {
			t.Errorf("%s: %+v", url, r)
		}
		page, err := m.Search(t.Context(), ltm.Query{AllNamespaces: true, IncludeExpired: true})
		leases, lost := m.In(driver.Lease, "").Search(t.Context(), ltm.Query{AllNamespaces: true, IncludeExpired: true})
		if len(page.Entries) != 1 || len(leases.Entries) != 0 || err != nil || lost != nil {
			t.Errorf("%s: left %v %v, %v, %v", url, page, leases, err, lost)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	m, err := builtin.Mux().Lazy("mem:?readonly=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	r := doctor.Examine(t.Context(), m, nil)
	if got := summary(r); got != opened+"read: ok, write: warn" || r.Failed() {
		t.Errorf("%s", got)
	}
}

func TestUnopened(t *testing.T) {
	t.Parallel()
	_, err := builtin.Mux().Lazy("memm:", nil)
	r := doctor.Unopened(err)
	if got := summary(r); got != "connect: fail" || !r.Failed() || !strings.Contains(r.Findings[0].Mend, "URL") {
		t.Errorf("%+v", r)
	}
	m, err := builtin.Mux().Lazy("sqlite:///dev/null/x.db", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := summary(doctor.Examine(t.Context(), m, nil)); got != "connect: fail" {
		t.Errorf("%s", got)
	}
}

// sick is a store with something wrong.
type sick struct {
	driver.Layer
	facts  driver.Facts
	put    func(driver.Record, *driver.Condition) error
	delete func() (bool, error)
	wait   func()
}

func (s *sick) Inspect(context.Context) (driver.Facts, error) { return s.facts, nil }

func (s *sick) Get(ctx context.Context, k driver.Key) (driver.Record, error) {
	if s.wait != nil {
		s.wait()
	}
	return s.Store.Get(ctx, k)
}

func (s *sick) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	if s.put != nil {
		if err := s.put(r, &c); err != nil {
			return false, err
		}
	}
	return s.Store.Put(ctx, r, c)
}

func (s *sick) Delete(ctx context.Context, k driver.Key, revision int64) (bool, error) {
	if s.delete != nil && k.Key == "scratch" {
		return s.delete()
	}
	return s.Store.Delete(ctx, k, revision)
}

func TestSickStores(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	skewed := func(d time.Duration) driver.Facts { return driver.Facts{Time: now.Add(d).UnixMilli()} }
	for name, tt := range map[string]struct {
		store sick
		want  string // in the summary
		says  string // in a finding
	}{
		"no right to write": {sick{put: func(driver.Record, *driver.Condition) error { return driver.ErrReadOnly }}, "write: fail", "let this user write"},
		"full":              {sick{put: func(driver.Record, *driver.Condition) error { return driver.ErrFull }}, "write: fail", "make room"},
		"down":              {sick{put: func(driver.Record, *driver.Condition) error { return driver.ErrUnavailable }}, "write: fail", "is up"},
		"odd":               {sick{put: func(driver.Record, *driver.Condition) error { return errors.New("odd") }}, "write: fail", "odd"},
		"keeps all":         {sick{delete: func() (bool, error) { return true, nil }}, "delete: fail", "still there"},
		"no conditions": {sick{put: func(_ driver.Record, c *driver.Condition) error {
			*c = driver.Condition{}
			return nil
		}}, "put if unchanged: fail", "8 of 8 rivals won"},
		"old format":     {sick{facts: driver.Facts{Product: "Shelf 1", Format: 1, Newest: 2}}, "format: warn", "open it once"},
		"clock off":      {sick{facts: skewed(5 * time.Second)}, "clock: warn", "5s from this one"},
		"clock far off":  {sick{facts: skewed(-time.Minute)}, "clock: fail", "leases cannot be relied upon"},
		"clock as it is": {sick{facts: skewed(time.Millisecond)}, "clock: ok", "1ms from this one"},
		"slow":           {sick{}, "latency: warn", "the cache waits"},
	} {
		clock := now
		tt.store.Layer = driver.Layer{Store: memltm.New()}
		if name == "slow" {
			tt.store.wait = func() { clock = clock.Add(time.Second) }
		}
		m := ltm.New(&tt.store, &ltm.Options{Now: func() time.Time { return clock }})
		r := doctor.Examine(t.Context(), m, &doctor.Options{Samples: 3, Timeout: time.Minute})
		if got := summary(r); !strings.Contains(got, tt.want) || !strings.Contains(fmt.Sprintf("%+v", r), tt.says) {
			t.Errorf("%s: %+v", name, r)
		}
		if want := strings.Contains(tt.want, "fail"); r.Failed() != want {
			t.Errorf("%s: failed is %v", name, r.Failed())
		}
	}
}
