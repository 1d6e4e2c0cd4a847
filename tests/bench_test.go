package tests

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkStartUp measures whole processes: the command alone, and the
// quickstart answered from the cache.
func BenchmarkStartUp(b *testing.B) {
	dir := b.TempDir()
	tea := filepath.Join(dir, "tea")
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", tea, "../cmd/tea").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	run := func(b *testing.B, args ...string) {
		b.Helper()
		cmd := exec.Command(tea, args...)
		cmd.Dir = ".."
		cmd.Env = append(cmd.Environ(), "XDG_DATA_HOME="+filepath.Join(dir, "data"))
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	b.Run("version", func(b *testing.B) {
		for b.Loop() {
			run(b, "version")
		}
	})
	b.Run("quickstart_hit", func(b *testing.B) {
		run(b, "run", "examples/quickstart.yaml")
		for b.Loop() {
			run(b, "run", "examples/quickstart.yaml")
		}
	})
}
