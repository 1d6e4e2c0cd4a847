package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/ltm/transfer"
	"github.com/tea-agents/tea/value"
)

var now = time.UnixMilli(1 << 50)

func at() time.Time { return now }

// memory returns an empty one whose clock stands at now.
func memory() *ltm.Memory { return ltm.New(memltm.New(), &ltm.Options{Now: at}) }

func all(t interface{ Fatal(...any) }, m *ltm.Memory) (entries []ltm.Entry) {
	for f, err := range transfer.Walk(context.Background(), m, transfer.Selection{Internal: true}) {
		if err != nil || f.Err != nil {
			t.Fatal(err, f.Err)
		}
		entries = append(entries, f.Entry)
	}
	return entries
}

func sameEntries(a, b []ltm.Entry) bool {
	return slices.EqualFunc(a, b, func(a, b ltm.Entry) bool { return equal(&a, &b) })
}

func TestRoundTripOfAMemory(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		want := drawEntries(t)
		from, to, copied := memory(), memory(), memory()
		if err := from.Restore(ctx, want); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := transfer.Export(ctx, from, &file, &transfer.Options{}); err != nil {
			t.Fatal(err)
		}
		if _, n, err := transfer.Check(bytes.NewReader(file.Bytes())); err != nil || n != int64(len(want)) {
			t.Fatalf("%d, %v", n, err)
		}
		text := file.String()
		dry, err := transfer.Import(ctx, to, strings.NewReader(text), &transfer.Options{DryRun: true})
		if err != nil || len(all(t, to)) != 0 {
			t.Fatalf("a dry run stored something: %v", err)
		}
		res, err := transfer.Import(ctx, to, strings.NewReader(text), &transfer.Options{})
		if err != nil || res != dry || res.Created != int64(len(want)) || !sameEntries(all(t, to), want) {
			t.Fatalf("%+v, %v: %+v, want %+v", res, err, all(t, to), want)
		}
		again, err := transfer.Import(ctx, to, strings.NewReader(text), &transfer.Options{})
		if err != nil || again.Same != int64(len(want)) {
			t.Fatalf("%+v, %v", again, err)
		}
		for range 2 {
			_, missing, err := transfer.Copy(ctx, from, copied, &transfer.Options{})
			if err != nil || missing != 0 || !sameEntries(all(t, copied), want) {
				t.Fatalf("%d missing, %v", missing, err)
			}
		}
	})
}

// put stores n entries and returns the memory.
func put(t *testing.T, m *ltm.Memory, n int) *ltm.Memory {
	t.Helper()
	items := make([]ltm.Item, n)
	for i := range items {
		items[i] = ltm.Item{Key: fmt.Sprintf("k%05d", i), Value: value.Int(int64(i))}
	}
	if _, err := m.PutMany(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	return m
}

func export(t *testing.T, m *ltm.Memory) string {
	t.Helper()
	var file bytes.Buffer
	if _, err := transfer.Export(t.Context(), m, &file, &transfer.Options{}); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

func TestATornImportIsResumed(t *testing.T) {
	t.Parallel()
	const n = 1234
	file := export(t, put(t, memory(), n))
	to := memory()
	half := file[:len(file)/2]
	first, err := transfer.Import(t.Context(), to, strings.NewReader(half), &transfer.Options{})
	if !errors.Is(err, transfer.ErrTorn) || first.Created == 0 || first.Created >= n {
		t.Fatalf("%+v, %v", first, err)
	}
	if got := int64(len(all(t, to))); got != first.Created {
		t.Errorf("%d are stored, %d were counted", got, first.Created)
	}
	res, err := transfer.Import(t.Context(), to, strings.NewReader(file), &transfer.Options{})
	if err != nil || res.Same != first.Created || res.Created != n-first.Created || len(all(t, to)) != n {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	file := export(t, put(t, memory(), 5))
	for _, tt := range []struct {
		on   transfer.OnConflict
		dry  bool
		want transfer.Result
		err  error
		left string
	}{
		{on: transfer.Fail, want: transfer.Result{Entries: 5, Conflicts: 1}, err: transfer.ErrConflict, left: `"mine"`},
		{on: transfer.Fail, dry: true, want: transfer.Result{Entries: 5, Conflicts: 1, Created: 3, Same: 1}, left: `"mine"`},
		{on: transfer.Skip, want: transfer.Result{Entries: 5, Skipped: 1, Created: 3, Same: 1}, left: `"mine"`},
		{on: transfer.Overwrite, want: transfer.Result{Entries: 5, Overwritten: 1, Created: 3, Same: 1}, left: `1`},
		{on: transfer.Overwrite, dry: true, want: transfer.Result{Entries: 5, Overwritten: 1, Created: 3, Same: 1}, left: `"mine"`},
	} {
		to := put(t, memory(), 1)
		if _, err := to.Put(t.Context(), "k00001", value.String("mine"), nil); err != nil {
			t.Fatal(err)
		}
		var told []string
		res, err := transfer.Import(t.Context(), to, strings.NewReader(file), &transfer.Options{
			OnConflict: tt.on, DryRun: tt.dry, Conflict: func(e ltm.Entry) { told = append(told, e.Key) },
		})
		if !errors.Is(err, tt.err) || res != tt.want || !slices.Equal(told, []string{"k00001"}) {
			t.Errorf("%s: %+v, %v, told %v, want %+v, %v", tt.on, res, err, told, tt.want, tt.err)
		}
		if e, err := to.Get(t.Context(), "k00001"); err != nil || e.Value.String() != tt.left {
			t.Errorf("%s: left %v, %v", tt.on, e.Value, err)
		}
	}
}

func TestWhatIsNeverMoved(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	from := memory()
	for _, space := range []driver.Space{driver.User, driver.Cache, driver.Lease, driver.Run, driver.LLM, driver.Meta, driver.Near} {
		for _, key := range []string{"digest-key", cache.Custom + ":mine"} {
			if _, err := from.In(space, "").Put(ctx, key, value.String(space.String()), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := from.Put(ctx, "over", value.Null(), &ltm.PutOptions{ExpiresAt: now}); err != nil {
		t.Fatal(err)
	}
	for space, want := range map[driver.Space]int{driver.User: 2, driver.Cache: 1, driver.LLM: 1} {
		file := export(t, from.In(space, ""))
		if got := strings.Count(file, `"sum":`) - 1; got != want || strings.Contains(file, "digest-key") != (space == driver.User) {
			t.Errorf("%s: %d entries:\n%s", space, got, file)
		}
		for _, other := range transfer.Spaces() {
			_, err := transfer.Import(ctx, memory().In(other, ""), strings.NewReader(file), &transfer.Options{})
			if (err == nil) != (other == space) {
				t.Errorf("%s into %s: %v", space, other, err)
			}
		}
	}
	for _, space := range []driver.Space{driver.Lease, driver.Run, driver.Meta, driver.Near} {
		m := from.In(space, "")
		if _, err := transfer.Export(ctx, m, &bytes.Buffer{}, &transfer.Options{}); !errors.Is(err, ltm.ErrInvalid) {
			t.Errorf("%s was exported: %v", space, err)
		}
		if _, _, err := transfer.Copy(ctx, m, memory().In(space, ""), &transfer.Options{}); !errors.Is(err, ltm.ErrInvalid) {
			t.Errorf("%s was copied: %v", space, err)
		}
	}
	secret := strings.Replace(export(t, from), `"user"`, `"cache"`, 1)
	if _, err := transfer.Import(ctx, memory().In(driver.Cache, ""), strings.NewReader(secret), &transfer.Options{}); err == nil || !strings.Contains(err.Error(), "no entry of the cache space") {
		t.Errorf("the key of a cache was imported: %v", err)
	}
}

func TestNamespaces(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	from, to := memory(), memory()
	for _, ns := range []string{"", "a", "b"} {
		if _, err := from.In(driver.User, ns).Put(ctx, "k", value.String(ns), nil); err != nil {
			t.Fatal(err)
		}
	}
	o := &transfer.Options{Namespaces: []string{"", "b"}}
	if res, missing, err := transfer.Copy(ctx, from, to, o); err != nil || missing != 0 || res.Created != 2 {
		t.Errorf("%+v, %d missing, %v", res, missing, err)
	}
	o.Namespaces = []string{"a"}
	if res, err := transfer.Import(ctx, to, strings.NewReader(export(t, from)), o); err != nil || res.Created != 1 || res.Entries != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	if !sameEntries(all(t, from), all(t, to)) {
		t.Error("not all is there")
	}
}

func TestExpiredSinceTheExport(t *testing.T) {
	t.Parallel()
	clock := now
	m := ltm.New(memltm.New(), &ltm.Options{Now: func() time.Time { return clock }})
	if _, err := m.Put(t.Context(), "k", value.Null(), &ltm.PutOptions{TTL: time.Minute}); err != nil {
		t.Fatal(err)
	}
	file := export(t, m)
	clock = clock.Add(time.Minute)
	res, err := transfer.Import(t.Context(), m, strings.NewReader(file), &transfer.Options{})
	if err != nil || res.Expired != 1 || res.Created+res.Same != 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

// damage is a store that damages what is stored under some keys, and notes how
// much is read or stored at a time.
type damage struct {
	driver.Layer
	keys []string
	most int
}

func (d *damage) note(n int) { d.most = max(d.most, n) }

func (d *damage) Get(ctx context.Context, k driver.Key) (driver.Record, error) {
	r, err := d.Store.Get(ctx, k)
	if slices.Contains(d.keys, k.Key) && err == nil {
		r.Value[len(r.Value)-1] ^= 1
	}
	return r, err
}

func (d *damage) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	found := map[driver.Key]driver.Record{}
	n := 0
	for _, k := range keys {
		if r, err := d.Get(ctx, k); err == nil {
			found[k] = r
			n += len(r.Value)
		}
	}
	d.note(n)
	return found, nil
}

func (d *damage) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	n := 0
	for _, r := range records {
		n += len(r.Value)
	}
	d.note(n)
	return d.Layer.PutBatch(ctx, records)
}

func (d *damage) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	found, err := d.Store.List(ctx, q)
	if !q.KeysOnly {
		d.note(1 << 30)
	}
	return found, err
}

func TestDamagedEntriesAreLeftOut(t *testing.T) {
	t.Parallel()
	bad := &damage{Layer: driver.Layer{Store: memltm.New()}, keys: []string{"k00003", "k00007"}}
	from := put(t, ltm.New(bad, &ltm.Options{Now: at}), 10)
	var told []string
	o := &transfer.Options{Damaged: func(f transfer.Found) { told = append(told, f.Key) }}
	to := memory()
	res, missing, err := transfer.Copy(t.Context(), from, to, o)
	if err != nil || res.Damaged != 2 || res.Created != 8 || missing != 0 || !slices.Equal(told, bad.keys) {
		t.Errorf("%+v, %d missing, %v, told %v", res, missing, err, told)
	}
	var file bytes.Buffer
	if res, err := transfer.Export(t.Context(), from, &file, o); err != nil || res.Damaged != 2 || res.Entries != 8 {
		t.Errorf("%+v, %v", res, err)
	}
	// At the destination a damaged entry is a conflict, and can be replaced.
	whole := export(t, put(t, memory(), 10))
	if res, err := transfer.Import(t.Context(), from, strings.NewReader(whole), &transfer.Options{}); !errors.Is(err, transfer.ErrConflict) {
		t.Errorf("%+v, %v", res, err)
	}
	res, err = transfer.Import(t.Context(), from, strings.NewReader(whole), &transfer.Options{OnConflict: transfer.Overwrite})
	if err != nil || res.Overwritten != 2 || res.Same != 8 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	const size = 300 << 10
	from := &damage{Layer: driver.Layer{Store: memltm.New()}}
	to := &damage{Layer: driver.Layer{Store: memltm.New()}}
	o := &ltm.Options{Now: at, Space: driver.LLM, Namespace: "n"} // has no index of words, which takes its time
	m := ltm.New(from, o)
	for i := range 60 {
		if _, err := m.Put(t.Context(), fmt.Sprint(i), value.String(strings.Repeat("x", size)), nil); err != nil {
			t.Fatal(err)
		}
	}
	from.most = 0
	dst := ltm.New(to, o)
	if _, _, err := transfer.Copy(t.Context(), m, dst, &transfer.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := transfer.Import(t.Context(), dst, strings.NewReader(export(t, m)), &transfer.Options{}); err != nil {
		t.Fatal(err)
	}
	if most := max(from.most, to.most); most > 5<<20 {
		t.Errorf("%d bytes at a time", most)
	}
}

// TestMissing holds that Copy tells of what did not arrive.
func TestMissing(t *testing.T) {
	t.Parallel()
	from := put(t, memory(), 20)
	res, missing, err := transfer.Copy(t.Context(), from, ltm.New(&forgetful{driver.Layer{Store: memltm.New()}}, nil), &transfer.Options{})
	if err != nil || res.Created != 20 || missing != 5 {
		t.Errorf("%+v, %d missing, %v", res, missing, err)
	}
}

// forgetful keeps only some of what it is given.
type forgetful struct{ driver.Layer }

func (f *forgetful) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	created := make([]bool, len(records))
	for i, r := range records {
		if i%4 == 1 {
			continue
		}
		if _, err := f.Put(ctx, r, driver.Condition{}); err != nil {
			return nil, err
		}
	}
	return created, nil
}

func TestBetweenStores(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "m.db")
	open := func(url string) *ltm.Memory {
		m, err := builtin.Mux().Open(ctx, url, &ltm.Options{Now: at})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = m.Close() })
		return m
	}
	from, to := put(t, open("mem:"), 700), open("sqlite://"+path)
	if res, missing, err := transfer.Copy(ctx, from, to, &transfer.Options{}); err != nil || res.Created != 700 || missing != 0 {
		t.Errorf("%+v, %d missing, %v", res, missing, err)
	}
	if !sameEntries(all(t, from), all(t, to)) {
		t.Error("the copy differs")
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	if _, err := transfer.ParseOnConflict("skp"); err == nil || !strings.Contains(err.Error(), `did you mean "skip"?`) {
		t.Error(err)
	}
	if o, err := transfer.ParseOnConflict("overwrite"); o != transfer.Overwrite || err != nil {
		t.Error(o, err)
	}
	if s, err := transfer.ParseSpace("llm"); s != driver.LLM || err != nil {
		t.Error(s, err)
	}
}
