package blob_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tea-agents/tea/internal/blob"
	"github.com/tea-agents/tea/internal/blob/blobtest"
)

// place is a directory in one kind of storage, with a slash at its end. The
// same specification holds for all of them.
type place struct {
	storage *blob.Storage
	dir     string
	params  string

	missing string // a directory in a bucket that is not there, if there are buckets
	lax     bool   // the server that the tests have checks and writes in two steps
}

func (p place) uri(name string) string { return p.dir + name + p.params }

func storage(t *testing.T, o *blob.Options) *blob.Storage {
	t.Helper()
	s := blob.New(o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func places() map[string]func(t *testing.T) place {
	local := func(o blob.Options, dir string) func(t *testing.T) place {
		return func(t *testing.T) place {
			t.Helper()
			temp := t.TempDir()
			if o.Dir != "" {
				o.Dir = temp
			}
			return place{storage: storage(t, &o), dir: strings.ReplaceAll(dir, "TEMP", temp)}
		}
	}
	return map[string]func(t *testing.T) place{
		"path":          local(blob.Options{}, "TEMP/d/"),
		"relative path": local(blob.Options{Dir: "TEMP"}, "d/"),
		"file URL":      local(blob.Options{}, "file://TEMP/d/"),
		"mem":           local(blob.Options{}, "mem://bucket/d/"),
		"s3":            cloud(blobtest.S3),
		"gs":            cloud(blobtest.GCS),
	}
}

// cloud is in a server whose writes with a condition are lax.
func cloud(start func(testing.TB) blobtest.Store) func(t *testing.T) place {
	return func(t *testing.T) place {
		t.Helper()
		p := storePlace(t, start(t))
		p.lax = true
		return p
	}
}

func storePlace(t *testing.T, s blobtest.Store) place {
	t.Helper()
	return place{
		storage: storage(t, nil), dir: s.Scheme + "://bucket/d/", params: s.Params,
		missing: s.Scheme + "://nobucket/d/",
	}
}

func write(t *testing.T, p place, name, content string) {
	t.Helper()
	n, err := p.storage.Write(t.Context(), p.uri(name), strings.NewReader(content), blob.WriteOptions{})
	if err != nil || n != int64(len(content)) {
		t.Fatalf("write %s: %d bytes, %v", name, n, err)
	}
}

func read(t *testing.T, p place, name string) string {
	t.Helper()
	r, info, err := p.storage.Read(t.Context(), p.uri(name))
	if err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
	if info.Size != int64(len(data)) {
		t.Errorf("read %s: info says %d bytes, there are %d", name, info.Size, len(data))
	}
	return string(data)
}

func TestEveryPlace(t *testing.T) {
	t.Parallel()
	for name, open := range places() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testPlace(t, open(t))
		})
	}
}

// testPlace is the specification that TestAzure holds, too.
func testPlace(t *testing.T, p place) {
	t.Helper()
	t.Run("what is written is read", func(t *testing.T) { testRoundTrip(t, p) })
	t.Run("what is not there is not found", func(t *testing.T) { testMissing(t, p) })
	t.Run("if not exist", func(t *testing.T) { testIfNotExist(t, p) })
	t.Run("a failing source leaves the old content", func(t *testing.T) { testTorn(t, p) })
	t.Run("hash", func(t *testing.T) { testHash(t, p) })
	t.Run("stamp", func(t *testing.T) { testStamp(t, p) })
	t.Run("list", func(t *testing.T) { testList(t, p) })
	t.Run("copy and delete", func(t *testing.T) { testCopyDelete(t, p) })
	t.Run("a cancelled context", func(t *testing.T) { testCancelled(t, p) })
	t.Run("writers at once leave one whole content", func(t *testing.T) { testWholeContent(t, p) })
	if p.missing != "" {
		t.Run("a missing bucket", func(t *testing.T) { testMissingBucket(t, p) })
		t.Run("in blocks", func(t *testing.T) { testInBlocks(t, p) })
	}
	if !p.lax {
		t.Run("if not exist has one winner", func(t *testing.T) { testOneWinner(t, p) })
	}
}

func testRoundTrip(t *testing.T, p place) {
	t.Helper()
	for _, name := range []string{"plain.txt", "deep/er/a.txt", "with space.txt", "ünï.txt", "plus+and&.txt"} {
		write(t, p, name, "content of "+name)
		if got := read(t, p, name); got != "content of "+name {
			t.Errorf("%s: read %q", name, got)
		}
	}
	write(t, p, "plain.txt", "")
	if got := read(t, p, "plain.txt"); got != "" {
		t.Errorf("overwritten with nothing, read %q", got)
	}
}

func testMissing(t *testing.T, p place) {
	t.Helper()
	ctx, missing := t.Context(), p.uri("missing.txt")
	_, _, err := p.storage.Read(ctx, missing)
	if !errors.Is(err, blob.ErrNotFound) {
		t.Fatalf("read: %v", err)
	}
	if _, err := p.storage.Stat(ctx, missing); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("stat: %v", err)
	}
	if _, _, err := p.storage.Hash(ctx, missing, ""); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("hash: %v", err)
	}
	if err := p.storage.Delete(ctx, missing); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("delete: %v", err)
	}
	if ok, err := p.storage.Exists(ctx, missing); ok || err != nil {
		t.Errorf("exists: %v %v", ok, err)
	}
	if want := "read " + missing + ": not found"; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func testIfNotExist(t *testing.T, p place) {
	t.Helper()
	for i, want := range []error{nil, blob.ErrConflict} {
		_, err := p.storage.Write(t.Context(), p.uri("once.txt"), strings.NewReader("x"), blob.WriteOptions{IfNotExist: true})
		if !errors.Is(err, want) {
			t.Errorf("write %d: %v, want %v", i, err, want)
		}
	}
}

func testTorn(t *testing.T, p place) {
	t.Helper()
	write(t, p, "torn.txt", "old")
	boom := errors.New("boom")
	source := io.MultiReader(strings.NewReader("new, but"), iotest.ErrReader(boom))
	_, err := p.storage.Write(t.Context(), p.uri("torn.txt"), source, blob.WriteOptions{})
	if !errors.Is(err, boom) {
		t.Errorf("the cause is lost: %v", err)
	}
	if got := read(t, p, "torn.txt"); got != "old" {
		t.Errorf("after a failed write: %q", got)
	}
}

func testHash(t *testing.T, p place) {
	t.Helper()
	write(t, p, "abc.txt", "abc")
	for algorithm, want := range map[string]string{
		"":       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"md5":    "900150983cd24fb0d6963f7d28e17f72",
		"blake2b": "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1" +
			"7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
	} {
		got, size, err := p.storage.Hash(t.Context(), p.uri("abc.txt"), algorithm)
		if err != nil || got != want || size != 3 {
			t.Errorf("%q: %s, %d bytes, %v", algorithm, got, size, err)
		}
	}
}

func testStamp(t *testing.T, p place) {
	t.Helper()
	write(t, p, "stamp.txt", "one")
	before, err := p.storage.Fingerprint(t.Context(), p.uri("stamp.txt"), "md5")
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.storage.Stat(t.Context(), p.uri("stamp.txt"))
	if err != nil || again.Stamp() != before.Stamp {
		t.Errorf("an unchanged file: %q, then %q, %v", before.Stamp, again.Stamp(), err)
	}
	write(t, p, "stamp.txt", "changed")
	after, err := p.storage.Stat(t.Context(), p.uri("stamp.txt"))
	if err != nil || after.Stamp() == before.Stamp {
		t.Errorf("a changed file keeps its stamp %q, %v", before.Stamp, err)
	}
}

func testList(t *testing.T, p place) {
	t.Helper()
	for _, name := range []string{"l/b.txt", "l/a.txt", "l/a/x.txt", "l/a/y/z.txt", "lx.txt"} {
		write(t, p, name, name)
	}
	for _, tt := range []struct {
		name string
		o    blob.ListOptions
		want string
		more bool
	}{
		{name: "one level", want: "a.txt a/ b.txt"},
		{name: "all levels", o: blob.ListOptions{Recursive: true}, want: "a.txt a/x.txt a/y/z.txt b.txt"},
		{name: "prefix", o: blob.ListOptions{Prefix: "a"}, want: "a.txt a/"},
		{name: "deep prefix", o: blob.ListOptions{Prefix: "a/y", Recursive: true}, want: "a/y/z.txt"},
		{name: "limit", o: blob.ListOptions{Limit: 2}, want: "a.txt a/", more: true},
		{name: "limit that is enough", o: blob.ListOptions{Limit: 3}, want: "a.txt a/ b.txt"},
	} {
		for _, dir := range []string{"l", "l/"} {
			found, err := p.storage.List(t.Context(), p.uri(dir), tt.o)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if got := names(t, p, found); got != tt.want || found.Truncated != tt.more {
				t.Errorf("%s of %s: %s (truncated %v), want %s", tt.name, dir, got, found.Truncated, tt.want)
			}
		}
	}
}

// names shortens the paths of a listing and checks that each can be read.
func names(t *testing.T, p place, l blob.Listing) string {
	t.Helper()
	var out []string
	for _, e := range l.Entries {
		path := strings.TrimSuffix(e.Path, p.params)
		_, short, ok := strings.Cut(path, "/l/")
		if !ok {
			t.Errorf("%s is not in the directory", e.Path)
		}
		if !e.IsDir {
			if info, err := p.storage.Stat(t.Context(), e.Path); err != nil || info.Size != e.Size {
				t.Errorf("listed %s with %d bytes: %v, %v", e.Path, e.Size, info, err)
			}
		}
		out = append(out, short)
	}
	return strings.Join(out, " ")
}

func testCopyDelete(t *testing.T, p place) {
	t.Helper()
	write(t, p, "from.txt", "moved")
	n, err := p.storage.Copy(t.Context(), p.uri("from.txt"), "mem://other/to.txt", blob.WriteOptions{})
	if err != nil || n != 5 {
		t.Fatalf("copy away: %d %v", n, err)
	}
	if _, err := p.storage.Copy(t.Context(), "mem://other/to.txt", p.uri("back.txt"), blob.WriteOptions{}); err != nil {
		t.Fatalf("copy back: %v", err)
	}
	if got := read(t, p, "back.txt"); got != "moved" {
		t.Errorf("copied: %q", got)
	}
	if err := p.storage.Delete(t.Context(), p.uri("back.txt")); err != nil {
		t.Errorf("delete: %v", err)
	}
	if ok, err := p.storage.Exists(t.Context(), p.uri("back.txt")); ok || err != nil {
		t.Errorf("after delete: %v %v", ok, err)
	}
}

func testCancelled(t *testing.T, p place) {
	t.Helper()
	write(t, p, "c.txt", "x")
	ctx, cancel := context.WithCancel(t.Context())
	r, _, err := p.storage.Read(ctx, p.uri("c.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cancel()
	if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
		t.Errorf("reading on: %v", err)
	}
	if _, err := p.storage.Stat(ctx, p.uri("c.txt")); !errors.Is(err, context.Canceled) {
		t.Errorf("stat: %v", err)
	}
}

func TestUnknownAlgorithmNamesTheKnownOnes(t *testing.T) {
	t.Parallel()
	s := storage(t, &blob.Options{Dir: t.TempDir()})
	_, _, err := s.Hash(t.Context(), "x", "sha265")
	if !errors.Is(err, blob.ErrInvalid) {
		t.Fatal(err)
	}
	for _, want := range []string{"sha256, md5, blake2b", `did you mean "sha256"?`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: lacks %q", err, want)
		}
	}
}

func TestMemoryIsSharedWithinOneStorageOnly(t *testing.T) {
	t.Parallel()
	a, b := place{storage: storage(t, nil), dir: "mem://x/"}, storage(t, nil)
	write(t, a, "k", "v")
	if got := read(t, a, "k"); got != "v" {
		t.Errorf("read %q", got)
	}
	if ok, err := b.Exists(t.Context(), "mem://x/k"); ok || err != nil {
		t.Errorf("another storage sees it: %v %v", ok, err)
	}
	if ok, err := a.storage.Exists(t.Context(), "mem://y/k"); ok || err != nil {
		t.Errorf("another bucket has it: %v %v", ok, err)
	}
}

func TestClosedStorage(t *testing.T) {
	t.Parallel()
	s := blob.New(nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stat(t.Context(), "mem://x/k"); !errors.Is(err, blob.ErrUnavailable) {
		t.Errorf("after close: %v", err)
	}
}

func TestLocalFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := storage(t, &blob.Options{Dir: dir})
	p := place{storage: s}
	t.Run("names are what other programs mean", func(t *testing.T) {
		write(t, p, "what?.txt", "q")
		write(t, p, "100%#.txt", "p")
		for name, want := range map[string]string{"what?.txt": "q", "100%#.txt": "p"} {
			if data, err := os.ReadFile(filepath.Join(dir, name)); string(data) != want {
				t.Errorf("%s: %q %v", name, data, err)
			}
		}
	})
	t.Run("a link stays a link and the mode stays", func(t *testing.T) {
		write(t, p, "real", "1")
		if err := errors.Join(os.Chmod(filepath.Join(dir, "real"), 0o600),
			os.Symlink("real", filepath.Join(dir, "link"))); err != nil {
			t.Fatal(err)
		}
		write(t, p, "link", "2")
		if got := read(t, p, "real"); got != "2" {
			t.Errorf("through the link: %q", got)
		}
		if info, err := os.Stat(filepath.Join(dir, "real")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info.Mode(), err)
		}
	})
	t.Run("directories are no files", func(t *testing.T) {
		write(t, p, "sub/x", "1")
		_, _, err := s.Read(t.Context(), "sub")
		_, writeErr := s.Write(t.Context(), "sub", strings.NewReader(""), blob.WriteOptions{})
		for _, err := range []error{err, writeErr, s.Delete(t.Context(), "sub")} {
			if !errors.Is(err, blob.ErrInvalid) || !strings.Contains(err.Error(), "sub: is a directory") {
				t.Errorf("%v", err)
			}
		}
	})
	t.Run("no temporary file stays behind", func(t *testing.T) {
		found, err := s.List(t.Context(), ".", blob.ListOptions{Recursive: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range found.Entries {
			if strings.HasSuffix(e.Path, ".tmp") {
				t.Errorf("left behind: %s", e.Path)
			}
		}
	})
	t.Run("a missing directory", func(t *testing.T) {
		if _, err := s.List(t.Context(), "nowhere", blob.ListOptions{}); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%v", err)
		}
	})
}

// TestHashMemoryIsConstant runs by itself: it measures what the process
// allocates while a large file is hashed.
func TestHashMemoryIsConstant(t *testing.T) { //nolint:paralleltest // measures the whole process
	const size, most = 64 << 20, 1 << 20
	path := filepath.Join(t.TempDir(), "sparse")
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(f.Truncate(size), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	s := storage(t, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, n, err := s.Hash(t.Context(), path, "")
	runtime.ReadMemStats(&after)
	if err != nil || n != size {
		t.Errorf("%d bytes, %v", n, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > most {
		t.Errorf("hashing %d bytes allocates %d", size, used)
	}
}
