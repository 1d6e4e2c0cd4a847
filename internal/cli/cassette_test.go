package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/value"
)

// recordedTape records answers to prompts: pairs of both.
func recordedTape(t *testing.T, path, model string, pairs ...string) {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	s, err := cassette.New(path, &cassette.Options{Mode: cassette.Record, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		key := value.Must(map[string]any{"model": model, "messages": []any{map[string]any{"role": "user", "content": pairs[i]}}})
		r := cassette.Request{Provider: "openai", Model: model, Endpoint: "/v1/chat/completions", Prompt: "user: " + pairs[i], Key: key}
		if err := s.Add(r, cassette.Response{Output: value.String(pairs[i+1]), Text: pairs[i+1], Complete: true, Duration: time.Second}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(true); err != nil {
		t.Fatal(err)
	}
}

// tea runs tea cassette with these arguments.
func tea(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &app{streams: streams{out: &stdout, err: &stderr}}
	c := a.cassetteCommand()
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	err = c.ExecuteContext(t.Context())
	return stdout.String() + stderr.String(), err
}

func hasAll(t *testing.T, out string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Errorf("%q is not in\n%s", w, out)
		}
	}
}

func TestCassetteShow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	recordedTape(t, path, "gpt-4o", "hi\nthere", "hello", "bye", "so long")
	out, err := tea(t, "show", path)
	if err != nil {
		t.Fatal(err)
	}
	hasAll(t, out, "2 LLM calls made.", "HASH", "gpt-4o", "/v1/chat/completions", "user: hi…", "user: bye")
	hash := strings.Fields(strings.Split(out, "\n")[4])[0]
	out, err = tea(t, "show", path, hash[:6])
	if err != nil {
		t.Fatal(err)
	}
	hasAll(t, out, "text_response: hello", hash)
	if _, err := tea(t, "show", path, "zzz"); err == nil || engine.ExitCode(err) != 1 {
		t.Errorf("%v", err)
	}
	if _, err := tea(t, "show", path+".yaml"); engine.ExitCode(err) != 3 {
		t.Errorf("a missing file: %v", err)
	}
}

func TestCassetteDiff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.json")
	recordedTape(t, a, "gpt-4o", "same", "same", "first question", "1", "answered anew", "old answer")
	recordedTape(t, b, "gpt-4o", "same", "same", "second question", "1", "answered anew", "new answer", "added", "x")
	out, err := tea(t, "diff", a, b)
	if err == nil || engine.ExitCode(err) != 1 {
		t.Fatal(err)
	}
	hasAll(t, err.Error(), "1 added, 0 removed, 2 changed")
	hasAll(t, out, "-    - content: first question", "+    - content: second question", "-  text_response: old answer", "+  text_response: new answer", "added ")
	if out, err := tea(t, "diff", a, a); err != nil || out != "" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestCassettePrune(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	recordedTape(t, path, "gpt-4o", "used", "u", "unused", "n")
	c, err := cassette.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "touched")
	for call := range c.Calls() {
		if err := os.WriteFile(list, []byte(call.Hash+"  "+path+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		break
	}
	out, err := tea(t, "prune", "--touched", list, path)
	if err != nil {
		t.Fatal(err)
	}
	hasAll(t, out, "user: unused", "would drop 1 call; --apply does it")
	out, err = tea(t, "prune", "--apply", "--touched", list, path)
	if err != nil {
		t.Fatal(err)
	}
	hasAll(t, out, "dropped 1 call")
	if c, err := cassette.Read(path); err != nil || c.Len() != 1 {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := tea(t, "prune", path); err == nil || !strings.Contains(err.Error(), "--touched") {
		t.Errorf("%v", err)
	}
}

func TestCassetteScan(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	recordedTape(t, path, "gpt-4o", "hi", "hello")
	if out, err := tea(t, "scan", path); err != nil || out != "" {
		t.Errorf("%q, %v", out, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	leak := "# sk-" + strings.Repeat("abcd", 6) + "\napi_key: \"short\"\nraw_base64: c2stYWJjZGFiY2RhYmNkYWJjZGFiY2Q=\n" + string(data)
	if err := os.WriteFile(path, []byte(leak), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := tea(t, "scan", path)
	if err == nil || engine.ExitCode(err) != 1 {
		t.Fatal(err)
	}
	hasAll(t, out, path+":1:3: API key sk-a…", path+":2:11: value of api_key shor…", path+":3:13: API key in base64 c2st…")
}

func TestCassetteFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	recordedTape(t, filepath.Join(dir, "one.yaml"), "gpt-4o", "cats", "purr")
	recordedTape(t, filepath.Join(dir, "sub", "two.json"), "gpt-4o-mini", "dogs", "bark")
	recordedTape(t, filepath.Join(dir, "many"), "claude-sonnet", "birds", "sing")
	if err := os.WriteFile(filepath.Join(dir, "agent.yaml"), []byte("name: x\nnodes: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flag, pattern, want string }{
		{"--model", "gpt-4o", "one"}, {"--model", "gpt-*", "one two"}, {"--endpoint", "/v1/*", "many one two"},
		{"--provider", "anthropic", ""}, {"--text", "BARK", "two"}, {"--text", "birds", "many"},
	} {
		out, err := tea(t, "find", dir, c.flag, c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"one", "two", "many"} {
			if strings.Contains(out, string(filepath.Separator)+name) != strings.Contains(c.want, name) {
				t.Errorf("%s %s: want %q, got\n%s", c.flag, c.pattern, c.want, out)
			}
		}
		if strings.Contains(out, "agent.yaml") {
			t.Errorf("an agent was taken for a cassette:\n%s", out)
		}
	}
}
