package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/internal/testserver"
)

// safeBuffer is written and read by different goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// teaProxy runs tea proxy until it ends, and returns its exit status.
func teaProxy(ctx context.Context, out io.Writer, args ...string) int {
	a := &app{streams: streams{in: strings.NewReader(""), out: out, err: out}, now: time.Now}
	root := &cobra.Command{Use: "tea", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(a.proxyCommand())
	for _, c := range root.Commands() {
		markUsageErrors(c)
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.SetArgs(append([]string{"proxy"}, args...))
	return a.report(root.ExecuteContext(ctx))
}

func provider(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"choices":[{"index":0,"message":{"content":%q}}]}`, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// shell asks the provider something with curl.
func shell(t *testing.T, word string) []string {
	t.Helper()
	testserver.Need(t, "curl", "apt-get install curl")
	return []string{"--", "sh", "-c", `curl -sS --noproxy '*' -H "Authorization: Bearer $OPENAI_API_KEY" -d '{"model":"m","say":"` + word + `"}' "$OPENAI_BASE_URL/chat/completions"`}
}

func TestProxyAroundACommand(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "") // a replay puts something in its place
	up, file := provider(t), filepath.Join(t.TempDir(), "c.yaml")
	run := func(args ...string) (string, int) {
		var out safeBuffer
		status := teaProxy(t.Context(), &out, args...)
		return out.String(), status
	}
	live, status := run(append([]string{"--record=" + file, "--upstream", up}, shell(t, "hello")...)...)
	if status != 0 || !strings.Contains(live, "hello") {
		t.Fatalf("status %d: %s", status, live)
	}
	if again, status := run(append([]string{"--replay=" + file}, shell(t, "hello")...)...); status != 0 || again != live {
		t.Errorf("replay: status %d: %s", status, again)
	}
	missed, status := run(append([]string{"--replay=" + file}, shell(t, "goodbye")...)...)
	if status != 6 {
		t.Errorf("a miss: status %d", status)
	}
	hasAll(t, missed, "no recorded call with hash", `-    "say": "hello"`, `+    "say": "goodbye"`, "To record this call: tea proxy --record-missing="+file)
	if out, status := run(append([]string{"--record-missing=" + file, "--upstream", up}, shell(t, "goodbye")...)...); status != 0 {
		t.Errorf("record-missing: status %d: %s", status, out)
	}
	for _, word := range []string{"hello", "goodbye"} {
		if out, status := run(append([]string{"--replay=" + file}, shell(t, word)...)...); status != 0 {
			t.Errorf("replay of %s: status %d: %s", word, status, out)
		}
	}
}

// A command that fails keeps its status, and does not touch the cassette.
func TestProxyAroundAFailure(t *testing.T) {
	t.Parallel()
	up, file := provider(t), filepath.Join(t.TempDir(), "c.yaml")
	command := shell(t, "hello")
	command[len(command)-1] += "; exit 9"
	var out safeBuffer
	if status := teaProxy(t.Context(), &out, append([]string{"--record=" + file, "--upstream", up}, command...)...); status != 9 {
		t.Errorf("status %d: %s", status, out.String())
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the cassette was written: %v", err)
	}
	if _, err := os.Stat(file + ".failed"); err != nil {
		t.Error(err)
	}
	for want, command := range map[int]string{137: "kill -9 $$", 0: "true"} {
		if status := teaProxy(t.Context(), &out, "--record="+file, "--", "sh", "-c", command); status != want {
			t.Errorf("%s: status %d, want %d", command, status, want)
		}
	}
	if status := teaProxy(t.Context(), &out, "--record="+file, "--", "no-such-command-here"); status != 127 {
		t.Errorf("no such command: status %d", status)
	}
}

// Without a command it serves until it is stopped, and then writes.
func TestProxyServes(t *testing.T) {
	t.Parallel()
	up, file := provider(t), filepath.Join(t.TempDir(), "c.yaml")
	ctx, stop := context.WithCancelCause(t.Context())
	var out safeBuffer
	status := make(chan int, 1)
	go func() { status <- teaProxy(ctx, &out, "--record="+file, "--upstream", "openai="+up+"/v1") }()
	address := regexp.MustCompile(`OPENAI_BASE_URL=(\S+)\n`)
	var found []string
	for deadline := time.Now().Add(10 * time.Second); found == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no address in time: " + out.String())
		}
		found = address.FindStringSubmatch(out.String())
	}
	res, err := http.Post(found[1]+"/chat/completions", "application/json", strings.NewReader(`{"model":"m"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	hasAll(t, out.String(), "ANTHROPIC_BASE_URL=http://127.0.0.1:", "GOOGLE_GEMINI_BASE_URL=", "OLLAMA_HOST=")
	stop(&engine.SignalError{Name: "interrupt", Number: 2})
	if got := <-status; got != 0 {
		t.Errorf("status %d: %s", got, out.String())
	}
	if written, err := os.ReadFile(file); err != nil || !bytes.Contains(written, []byte("/v1/chat/completions")) {
		t.Errorf("%v: %s", err, written)
	}
}

func TestProxyUsage(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, tc := range []struct {
		args   []string
		status int
		says   string
	}{
		{nil, 2, "say --record, --replay or --record-missing"},
		{[]string{"--record", "--replay"}, 2, "cannot go together"},
		{[]string{"--record", file}, 2, "as in --record=FILE"},
		{[]string{"--record=" + file, "--upstream", "openai"}, 2, "did you mean openai=URL?"},
		{[]string{"--record=" + file, "--listen", "8080"}, 2, "want HOST:PORT"},
		{[]string{"--record=" + file, "--listen", taken.Addr().String()}, 1, "address already in use"},
		{[]string{"--replay=" + file}, 3, "there is no such cassette"},
		{[]string{"--record=" + file, "--replay-speed=-1"}, 3, "replay speed"},
		{[]string{"--record=" + file, "--listen", "0.0.0.0:0", "--", "true"}, 0, "not only for this machine"},
	} {
		var out safeBuffer
		if status := teaProxy(t.Context(), &out, tc.args...); status != tc.status || !strings.Contains(out.String(), tc.says) {
			t.Errorf("%q: status %d, want %d: %s", tc.args, status, tc.status, out.String())
		}
	}
}

func TestProxyModeOfTheEnvironment(t *testing.T) {
	t.Setenv("TEA_CASSETTE_DIR", t.TempDir())
	for name, want := range map[string]int{"record": 0, "replay": 3, "live": 0, "rekord": 2} {
		t.Setenv("TEA_LLM_MODE", name)
		var out safeBuffer
		if status := teaProxy(t.Context(), &out, "--", "true"); status != want {
			t.Errorf("%s: status %d, want %d: %s", name, status, want, out.String())
		}
	}
}

func TestRedactEnvironment(t *testing.T) {
	t.Parallel()
	redact := redactEnvironment([]string{"OPENAI_API_KEY=my-own-secret", "DB_PASSWORD=short", "HOME=/home/somebody"})
	if got := redact("my-own-secret short /home/somebody"); got != "*** short /home/somebody" {
		t.Errorf("got %q", got)
	}
	quoted := redactEnvironment([]string{`APP_SECRET=a"b/c d e`})
	if got := quoted(`{"said":"a\"b\/c d e","basic":"` + base64.StdEncoding.EncodeToString([]byte(`me:a"b/c d e`)) + `","url":"a%22b%2Fc+d+e"}`); strings.Count(got, "***") != 3 {
		t.Errorf("got %q", got)
	}
	if redactEnvironment([]string{"HOME=/home/somebody"}) != nil {
		t.Error("nothing to mask needs no function")
	}
}

func TestAroundProxies(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ proxy, except, want string }{
		{"", "a", "[]"},
		{"http://p", "", "[NO_PROXY=127.0.0.1,localhost no_proxy=127.0.0.1,localhost]"},
		{"http://p", "a", "[NO_PROXY=a,127.0.0.1,localhost no_proxy=a,127.0.0.1,localhost]"},
	} {
		env := map[string]string{"http_proxy": tc.proxy, "NO_PROXY": tc.except}
		if got := fmt.Sprint(aroundProxies(func(name string) string { return env[name] })); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}
