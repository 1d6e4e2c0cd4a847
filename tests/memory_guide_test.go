package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/blob/blobtest"
	"github.com/tea-agents/tea/internal/testserver"
	"github.com/tea-agents/tea/internal/testserver/firestoreserver"
	"github.com/tea-agents/tea/internal/testserver/pgserver"
)

var startCommand = regexp.MustCompile(`(?m)^tea run (\S+) --ltm '?([^\s']+)'?$`)

// TestMemoryGuide runs every start of the guide as it is printed, but for the
// addresses of servers: the second time the store remembers.
func TestMemoryGuide(t *testing.T) {
	t.Parallel()
	guide := text(t, "../docs/memory.md")
	commands := startCommand.FindAllStringSubmatch(guide, -1)
	if len(commands) < 8 {
		t.Fatalf("found %d starts: the pattern no longer fits the page", len(commands))
	}
	name, quickly := noSleep()
	env := append(os.Environ(), name+"="+quickly, "TEA_KEY="+strings.Repeat("0f", 32),
		"AZURE_STORAGE_ACCOUNT="+blobtest.AzureAccount, "AZURE_STORAGE_KEY="+blobtest.AzureKey)
	for _, c := range commands {
		agent, url := c[1], c[2]
		t.Run(strings.NewReplacer("/", "_", ":", "_").Replace(url), func(t *testing.T) {
			t.Parallel()
			url, more := realStore(t, url)
			dir := t.TempDir()
			if err := os.CopyFS(dir+"/examples", os.DirFS("../examples")); err != nil {
				t.Fatal(err)
			}
			patiently(t, filepath.Join(dir, agent))
			run := func() said {
				cmd := exec.Command("tea", "run", agent, "--ltm", url)
				cmd.Dir, cmd.Env = dir, append(env, more...)
				return finish(t, cmd)
			}
			if first := run(); first.status != 0 || !strings.Contains(first.stderr, "MISS") {
				t.Fatalf("status %d\n%s", first.status, first.stderr)
			}
			second := run()
			remembers := strings.Contains(second.stderr, "HIT")
			if second.status != 0 || remembers == strings.HasPrefix(url, "mem:") {
				t.Errorf("status %d\n%s", second.status, second.stderr)
			}
		})
	}
}

// patiently lets an agent wait for its cache: on a busy machine a store may take
// longer for an answer than a user would wait.
func patiently(t *testing.T, agent string) {
	t.Helper()
	source := text(t, agent) + "\nsettings: {cache: {lookup_timeout: 1m}}\n"
	if err := os.WriteFile(agent, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
}

// realStore returns where the store of a start in the guide is in this test,
// and the environment that it needs.
func realStore(t *testing.T, url string) (where string, env []string) {
	t.Helper()
	scheme, rest, _ := strings.Cut(url, ":")
	switch scheme {
	case "blob-sqlite+s3":
		return "blob-sqlite+" + blobtest.S3(t).URI("memory.db"), nil
	case "blob-sqlite+gs":
		return "blob-sqlite+" + blobtest.GCS(t).URI("memory.db"), nil
	case "blob-sqlite+az":
		return "blob-sqlite+" + blobtest.Azure(t).URI("memory.db"), nil
	case "blob-sqlite+file":
		return scheme + "://" + t.TempDir() + "/memory.db", nil
	case "postgres":
		s := pgserver.Start(t)
		return s.URL(s.Addr(), ""), nil
	case "redis":
		return "redis://" + testserver.Start(t, testserver.Redis()), nil
	case "http+libsql":
		return scheme + "://" + testserver.Start(t, testserver.LibSQL()), nil
	case "firestore":
		return url, []string{"FIRESTORE_EMULATOR_HOST=" + firestoreserver.Start(t)}
	case "sqlite", "mem":
		return scheme + ":" + rest, nil
	}
	t.Fatalf("the guide starts with %s, which this test does not know", url)
	return "", nil
}
