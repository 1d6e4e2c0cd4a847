package ltm_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

func TestRestoreKeepsTimes(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000).UTC()
	m := ltm.New(memltm.New(), &ltm.Options{Now: func() time.Time { return now }})
	defer m.Close()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	want := []ltm.Entry{
		{Key: "once", Value: value.Int(1), Metadata: value.Object(), CreatedAt: ago(time.Hour), UpdatedAt: ago(time.Hour)},
		{Key: "twice", Value: value.Int(2), Metadata: value.Object(value.M("kind", value.String("x"))), CreatedAt: ago(2 * time.Hour), UpdatedAt: ago(time.Hour), ExpiresAt: now.Add(time.Minute)},
		{Key: "elsewhere", Namespace: "n", Value: value.Null(), Metadata: value.Object(), CreatedAt: ago(3 * time.Hour), UpdatedAt: ago(time.Minute)},
		{Key: "backwards", Value: value.Null(), Metadata: value.Object(), CreatedAt: ago(time.Hour), UpdatedAt: ago(2 * time.Hour)},
	}
	for range 2 { // to do it again changes nothing
		if err := m.Restore(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			got, err := m.In(driver.User, w.Namespace).Get(t.Context(), w.Key)
			if err != nil || !value.Equal(got.Value, w.Value) || !value.Equal(got.Metadata, w.Metadata) ||
				!got.CreatedAt.Equal(w.CreatedAt) || !got.UpdatedAt.Equal(w.UpdatedAt) || !got.ExpiresAt.Equal(w.ExpiresAt) {
				t.Errorf("%s: %+v, %v", w.Key, got, err)
			}
		}
	}
	page, err := m.Search(t.Context(), ltm.Query{Text: "twice"})
	if err != nil || len(page.Entries) != 1 {
		t.Errorf("found %v, %v", page, err)
	}
}

func TestRestoreOfWhatCannotBe(t *testing.T) {
	t.Parallel()
	m := ltm.New(memltm.New(), nil)
	defer m.Close()
	at := time.UnixMilli(1)
	err := m.Restore(t.Context(), []ltm.Entry{{Key: "good", UpdatedAt: at, CreatedAt: at}, {Key: "", UpdatedAt: at}})
	if !errors.Is(err, ltm.ErrInvalid) {
		t.Errorf("%v", err)
	}
	if _, err := m.Get(t.Context(), "good"); !errors.Is(err, ltm.ErrNotFound) {
		t.Errorf("something was stored: %v", err)
	}
}
