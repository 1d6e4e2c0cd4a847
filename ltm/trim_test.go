package ltm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// keysOf returns the keys of all live entries of the view's space, joined.
func keysOf(t *testing.T, m *ltm.Memory) string {
	t.Helper()
	var keys []string
	for e, err := range m.All(t.Context(), ltm.Query{AllNamespaces: true, Limit: 3, IncludeExpired: true}) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, e.Key)
	}
	return strings.Join(keys, " ")
}

func TestTrimKeepsToTheQuota(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		quota ltm.Quota
		left  string
		want  ltm.Trimmed
	}{
		"nothing":     {ltm.Quota{}, "0 1 2 3 4 5 6 7 8 9", ltm.Trimmed{Expired: 1}},
		"entries":     {ltm.Quota{MaxEntries: 4}, "0 7 8 9", ltm.Trimmed{Expired: 1, Oversize: 6}},
		"bytes":       {ltm.Quota{MaxBytes: 3 * 40}, "0 8 9", ltm.Trimmed{Expired: 1, Oversize: 7}},
		"idle":        {ltm.Quota{MaxIdle: 5 * time.Minute}, "0 5 6 7 8 9", ltm.Trimmed{Expired: 1, Idle: 4}},
		"both":        {ltm.Quota{MaxIdle: 5 * time.Minute, MaxEntries: 5}, "0 6 7 8 9", ltm.Trimmed{Expired: 1, Idle: 4, Oversize: 1}},
		"all but one": {ltm.Quota{MaxEntries: 1}, "0", ltm.Trimmed{Expired: 1, Oversize: 9}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, clock := newMemory(t)
			m = m.In(driver.Cache, "n")
			put := func(key string, o *ltm.PutOptions) {
				t.Helper()
				if _, err := m.Put(t.Context(), key, value.String("12345"), o); err != nil {
					t.Fatal(err)
				}
			}
			put("old", &ltm.PutOptions{TTL: time.Minute})
			for i := range 10 {
				m = m.In(driver.Cache, fmt.Sprint("n", i/4))
				put(fmt.Sprint(i), nil)
				clock.advance(time.Minute)
			}
			if err := m.In(driver.Cache, "n0").Touch(t.Context(), "0"); err != nil {
				t.Fatal(err)
			}
			got, err := m.Trim(t.Context(), c.quota)
			if err != nil {
				t.Fatal(err)
			}
			c.want.LeftEntries = int64(len(strings.Fields(c.left)))
			c.want.LeftBytes = 40 * c.want.LeftEntries
			if keysOf(t, m) != c.left || got != c.want {
				t.Errorf("left %q, %+v; want %q, %+v", keysOf(t, m), got, c.left, c.want)
			}
		})
	}
	m, _ := newMemory(t)
	if _, err := m.Trim(t.Context(), ltm.Quota{MaxBytes: -1}); !errors.Is(err, ltm.ErrInvalid) {
		t.Errorf("a negative quota: %v", err)
	}
}

func TestTrimOfMoreThanAPage(t *testing.T) {
	t.Parallel()
	m, clock := newMemory(t)
	var items []ltm.Item
	for i := range 1700 {
		items = append(items, ltm.Item{Key: fmt.Sprint(i), Options: &ltm.PutOptions{TTL: time.Duration(1+i%2) * time.Hour}})
	}
	if n, err := m.PutMany(t.Context(), items); n != 1700 || err != nil {
		t.Fatal(n, err)
	}
	clock.advance(time.Hour)
	got, err := m.Trim(t.Context(), ltm.Quota{MaxEntries: 100})
	if err != nil || got.Expired != 850 || got.Oversize != 750 || got.LeftEntries != 100 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestGetManyAndPutMany(t *testing.T) {
	t.Parallel()
	m, _ := newMemory(t)
	n, err := m.PutMany(t.Context(), []ltm.Item{
		{Key: "a", Value: value.Int(1), Options: &ltm.PutOptions{TTL: time.Second}},
		{Key: "b", Value: value.Int(2)}, {Key: "b", Value: value.Int(3)},
	})
	if n != 2 || err != nil {
		t.Fatal(n, err)
	}
	got, err := m.GetMany(t.Context(), "a", "b", "none")
	if err != nil || len(got) != 2 || !value.Equal(got["b"].Value, value.Int(3)) || got["a"].ExpiresAt.IsZero() {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, items := range [][]ltm.Item{
		{{Key: "c"}, {Key: ""}},
		{{Key: "c"}, {Key: "d", Options: &ltm.PutOptions{IfAbsent: true}}},
		{{Key: "c"}, {Key: "d", Value: value.Secret("s")}},
	} {
		if _, err := m.PutMany(t.Context(), items); !errors.Is(err, ltm.ErrInvalid) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := m.GetMany(t.Context(), "a", ""); !errors.Is(err, ltm.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if keys := keysOf(t, m); keys != "a b" {
		t.Errorf("there is %q", keys)
	}
}
