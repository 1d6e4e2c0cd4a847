package duckdbltm

import (
	"path/filepath"
	"testing"
)

// Two stores leave a file at once, and another one comes before the second has
// taken the file out: what that one joined stays known.
func TestAFileThatIsUsedAgainStaysKnown(t *testing.T) {
	t.Parallel()
	c := config{path: filepath.Join(t.TempDir(), "a.duckdb")}
	var r registry
	old := r.join(c)
	r.join(c)
	old.leave()
	if err := r.leave(old); err != nil {
		t.Fatal(err)
	}
	now := r.join(c)
	old.stores++ // as of the first to leave, which is half-way through
	if err := r.leave(old); err != nil {
		t.Fatal(err)
	}
	if r.join(c) != now {
		t.Error("a second process-wide file was made for one path: DuckDB would not lock it")
	}
}
