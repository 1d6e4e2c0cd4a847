package transfer_test

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/transfer"
	"github.com/tea-agents/tea/value"
)

// drawValue draws any JSON.
func drawValue(t *rapid.T, depth int) value.Value {
	most := 6
	if depth == 0 {
		most = 4
	}
	switch rapid.IntRange(0, most).Draw(t, "kind") {
	case 0:
		return value.Null()
	case 1:
		return value.Bool(rapid.Bool().Draw(t, "bool"))
	case 2:
		v, err := value.Number(rapid.StringMatching(`-?[1-9][0-9]{0,40}`).Draw(t, "int"))
		if err != nil {
			t.Fatal(err)
		}
		return v
	case 3:
		return value.Float(rapid.Float64().Filter(func(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }).Draw(t, "float"))
	case 4:
		return value.String(rapid.String().Draw(t, "string"))
	case 5:
		items := make([]value.Value, rapid.IntRange(0, 3).Draw(t, "len"))
		for i := range items {
			items[i] = drawValue(t, depth-1)
		}
		return value.List(items...)
	default:
		return drawObject(t, depth)
	}
}

func drawObject(t *rapid.T, depth int) value.Value {
	m := map[string]value.Value{}
	for range rapid.IntRange(0, 3).Draw(t, "len") {
		m[rapid.String().Draw(t, "name")] = drawValue(t, max(0, depth-1))
	}
	return value.Map(m)
}

func drawTime(t *rapid.T, name string) time.Time {
	return time.UnixMilli(rapid.Int64Range(1, 1<<50).Draw(t, name)).UTC()
}

// drawEntries draws entries, sorted, each key once, none of them over by now.
func drawEntries(t *rapid.T) []ltm.Entry {
	entries := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) ltm.Entry {
		e := ltm.Entry{
			Namespace: rapid.SampledFrom([]string{"", "n", "ü\x00%"}).Draw(t, "namespace"),
			Key:       rapid.StringN(1, 12, -1).Draw(t, "key"),
			Value:     drawValue(t, 3), Metadata: drawObject(t, 2),
			CreatedAt: drawTime(t, "created"), UpdatedAt: drawTime(t, "updated"),
		}
		if rapid.Bool().Draw(t, "expires") {
			e.ExpiresAt = time.UnixMilli(rapid.Int64Range(1<<50+1, 1<<51).Draw(t, "expiry")).UTC()
		}
		return e
	}), 0, 12, func(e ltm.Entry) string { return e.Namespace + "\x00" + e.Key }).Draw(t, "entries")
	slices.SortFunc(entries, func(a, b ltm.Entry) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Key, b.Key))
	})
	return entries
}

func equal(a, b *ltm.Entry) bool {
	return a.Namespace == b.Namespace && a.Key == b.Key && value.Equal(a.Value, b.Value) && value.Equal(a.Metadata, b.Metadata) &&
		a.CreatedAt.Equal(b.CreatedAt) && a.UpdatedAt.Equal(b.UpdatedAt) && a.ExpiresAt.Equal(b.ExpiresAt)
}

func write(t interface{ Fatal(...any) }, entries []ltm.Entry) []byte {
	var file bytes.Buffer
	w, err := transfer.NewWriter(&file, transfer.Header{Space: driver.User, Source: "mem:", At: time.UnixMilli(7)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		if err := w.Write(&entries[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func read(data []byte) (entries []ltm.Entry, err error) {
	r, err := transfer.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for e, err := range r.All() {
		if err != nil {
			return entries, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func TestWhatIsReadIsWhatWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawEntries(t)
		got, err := read(write(t, want))
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d entries of %d, %v", len(got), len(want), err)
		}
		for i := range want {
			if !equal(&got[i], &want[i]) {
				t.Fatalf("%+v, want %+v", got[i], want[i])
			}
		}
	})
}

// TestEveryChangeIsFound holds that a file from which bytes are cut, or in which
// one is changed, or lines are lost, doubled or swapped, is not read as whole;
// and that what is read of it before is part of what was written.
func TestEveryChangeIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawEntries(t)
		file := write(t, want)
		lines := bytes.SplitAfter(file, []byte("\n"))
		lines = lines[:len(lines)-1]
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		var bad []byte
		kind := rapid.SampledFrom([]string{"cut", "lost", "twice", "bit"}).Draw(t, "kind")
		switch kind {
		case "cut":
			bad = file[:rapid.IntRange(0, len(file)-1).Draw(t, "at")]
		case "lost":
			bad = bytes.Join(slices.Delete(slices.Clone(lines), i, i+1), nil)
		case "twice":
			bad = bytes.Join(slices.Insert(slices.Clone(lines), i, lines[i]), nil)
		case "bit":
			bad = slices.Clone(file)
			bad[rapid.IntRange(0, len(file)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
		got, err := read(bad)
		if err == nil {
			t.Fatalf("%s was not found out:\n%s", kind, bad)
		}
		var place *transfer.Error
		if !errors.As(err, &place) || place.Line < 1 {
			t.Fatalf("no line: %v", err)
		}
		if kind == "cut" && !errors.Is(err, transfer.ErrTorn) {
			t.Fatalf("%v is not ErrTorn", err)
		}
		for i := range got {
			if !equal(&got[i], &want[i]) && kind != "lost" {
				t.Fatalf("%+v was never written", got[i])
			}
		}
	})
}

func TestWhatIsNoExport(t *testing.T) {
	t.Parallel()
	const header = `{"format":"tea-export","version":1,"space":"user","source":"","exported":1}` + "\n"
	for _, tt := range []struct {
		file string
		is   error
		says string
	}{
		{"", transfer.ErrTorn, "line 1: the file is cut short"},
		{"hello\n", transfer.ErrFormat, "no export of tea"},
		{"[1]\n", transfer.ErrFormat, "no export of tea"},
		{`{"a":1}` + "\n", transfer.ErrFormat, "no export of tea"},
		{strings.Replace(header, `:1,"space`, `:2,"space`, 1), ltm.ErrNewer, "format 2, this program reads up to 1"},
		{strings.Replace(header, "user", "lease", 1), transfer.ErrFormat, `unknown space "lease"`},
		{strings.Replace(header, `"exported"`, `"x":1,"exported"`, 1), transfer.ErrDamaged, "6 members"},
		{strings.Replace(header, `:1}`, `:"now"}`, 1), transfer.ErrDamaged, "header"},
		{header, transfer.ErrTorn, "line 2: the file is cut short"},
		{header + "{}\n", transfer.ErrDamaged, "line 2: the file is damaged: the checksum does not fit"},
		{header + `{"end":{"entries":1,"sum":""}}` + "\n", transfer.ErrDamaged, "entries are missing"},
	} {
		_, err := read([]byte(tt.file))
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: %v, want %v: %s", tt.file, err, tt.is, tt.says)
		}
	}
	after := append(write(t, nil), "x\n"...)
	if _, err := read(after); !errors.Is(err, transfer.ErrDamaged) || !strings.Contains(err.Error(), "follows its end") {
		t.Errorf("%v", err)
	}
}

func TestEntriesAreWrittenInOrder(t *testing.T) {
	t.Parallel()
	w, err := transfer.NewWriter(&bytes.Buffer{}, transfer.Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&ltm.Entry{Key: "b"}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a", "b"} {
		if err := w.Write(&ltm.Entry{Key: key}); err == nil {
			t.Errorf("%q follows b", key)
		}
	}
	if err := w.Write(&ltm.Entry{Key: "c", Value: value.Float(math.NaN())}); err == nil {
		t.Error("NaN was written")
	}
}

// FuzzReader holds that no file is read as whole but one that writing what was
// read gives again.
func FuzzReader(f *testing.F) {
	at := time.UnixMilli(5)
	f.Add(write(f, nil))
	f.Add(write(f, []ltm.Entry{
		{Key: "a", Value: value.Must([]any{1, 1.0, "x", nil}), CreatedAt: at, UpdatedAt: at},
		{Namespace: "n", Key: "b", Metadata: value.Must(map[string]any{"k": 1}), CreatedAt: at, UpdatedAt: at, ExpiresAt: at},
	}))
	f.Add([]byte(`{"format":"tea-export","version":1`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := transfer.NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		w, err := transfer.NewWriter(&again, r.Header)
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range r.All() {
			if err != nil {
				return
			}
			if err := w.Write(&e); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		first, err := read(data)
		if err != nil {
			t.Fatal(err)
		}
		second, err := read(again.Bytes())
		if err != nil || len(first) != len(second) {
			t.Fatalf("%d entries, then %d, %v", len(first), len(second), err)
		}
		for i := range first {
			if !equal(&first[i], &second[i]) {
				t.Errorf("%+v, then %+v", first[i], second[i])
			}
		}
	})
}
