// Package firestoreserver runs Firestore emulators for tests.
package firestoreserver

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tea-agents/tea/internal/testserver"
)

const (
	module  = "@firestore-emulator/server"
	install = "npm install " + module + "@0.3.15, and put node_modules into NODE_PATH"
)

//go:embed emulator.js
var script []byte

// Start runs an emulator until the test ends and returns its address, host:port.
// The test is skipped when there is none, or fails where TEA_TEST_REQUIRE=all.
func Start(tb testing.TB) string {
	tb.Helper()
	node := testserver.Need(tb, "node", "apt-get install nodejs")
	find := exec.CommandContext(tb.Context(), node, "-e", "require.resolve('"+module+"')") //nolint:gosec // all of it is constant
	if out, err := find.CombinedOutput(); err != nil {
		if os.Getenv("TEA_TEST_REQUIRE") == "all" {
			tb.Fatalf("TEA_TEST_REQUIRE=all, but there is no %s: %s (%v)\n%s", module, install, err, out)
		}
		tb.Skipf("there is no %s: %s", module, install)
	}
	path := filepath.Join(tb.TempDir(), "emulator.js")
	if err := os.WriteFile(path, script, 0o600); err != nil {
		tb.Fatal(err)
	}
	return testserver.Start(tb, testserver.Server{
		Name: node, Install: install,
		Args: func(port, _ string) []string { return []string{path, port} },
	})
}
