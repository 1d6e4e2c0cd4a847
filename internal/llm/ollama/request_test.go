package ollama_test

import (
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/exchange/exchangetest"
	"github.com/tea-agents/tea/internal/llm/ollama"
	"github.com/tea-agents/tea/value"
)

func ask(t *testing.T, r llm.Request) value.Value {
	t.Helper()
	d := dialect()
	return d.Ask(t, llm.Config{}, "", d.Text.JSON, exchangetest.Call(t, r)).Body
}

func TestRequest(t *testing.T) {
	t.Parallel()
	r := exchangetest.Everything("m")
	r.Extra = value.Must(map[string]any{"options": map[string]any{"top_k": 5, "seed": 8}, "keep_alive": "5m"})
	exchangetest.Same(t, ask(t, r), `{
		"model": "m", "stream": false, "keep_alive": "5m",
		"options": {"num_predict": 50, "temperature": 0.7, "top_p": 0.9, "seed": 8, "top_k": 5, "stop": ["END"]},
		"tools": [{"type": "function", "function": {"name": "weather", "description": "Tells the weather.", "parameters": {
			"type": "object", "required": ["city"],
			"properties": {"city": {"type": "string", "minLength": 1}, "days": {"type": "integer"}}}}}],
		"messages": [
			{"role": "system", "content": "Be brief."},
			{"role": "user", "content": "What is this?", "images": ["cG5n"]},
			{"role": "assistant", "content": "Let me see.", "tool_calls": [
				{"id": "call_0", "function": {"index": 0, "name": "weather", "arguments": {"city": "Paris"}}},
				{"id": "id_b", "function": {"index": 1, "name": "weather", "arguments": {"arguments": "no object"}}}]},
			{"role": "tool", "tool_call_id": "call_0", "content": "{\"degrees\": 24}"},
			{"role": "tool", "tool_call_id": "id_b", "tool_name": "weather", "content": "broken"},
			{"role": "user", "content": "And?"}
		]}`)
}

func TestChoices(t *testing.T) {
	t.Parallel()
	r := exchangetest.Question("m")
	r.Tools, r.ToolChoice = exchangetest.Tools(), "none"
	exchangetest.Same(t, ask(t, r).At("tools"), "null")
}

func TestUnsupported(t *testing.T) {
	t.Parallel()
	named := exchangetest.Question("m")
	named.Tools, named.ToolChoice = exchangetest.Tools(), "weather"
	required := named
	required.ToolChoice = "required"
	image := exchangetest.Question("m")
	image.Messages = append(image.Messages, llm.Message{Role: llm.User, Parts: []llm.Part{{URL: "https://x.test/a.png"}}})
	for _, r := range []llm.Request{named, required, image} {
		dialect().Ask(t, llm.Config{}, "", "", func(c llm.Client) error {
			_, err := c.Generate(t.Context(), r, nil)
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != llm.Unsupported {
				t.Errorf("%v, want unsupported", err)
			}
			return nil
		})
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	r := exchangetest.Question("m")
	r.Format = llm.Format{Type: "json_object"}
	exchangetest.Same(t, ask(t, r).At("format"), `"json"`)
	r.Format = llm.Format{Type: "json_schema", Schema: value.Must(map[string]any{"type": "integer", "minimum": 1})}
	exchangetest.Same(t, ask(t, r).At("format"), `{"type":"integer","minimum":1}`)
}

// The environment of the user counts only where the caller hands it over: no
// request is signed with the key in the home directory.
func TestEnvironment(t *testing.T) {
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	t.Setenv("OLLAMA_AUTH", "1")
	signingKey(t)
	d := dialect()
	for key, want := range map[string]string{"mine": "Bearer mine", "": ""} {
		asked := d.Ask(t, llm.Config{APIKey: key}, "/proxy/", d.Text.JSON, exchangetest.Call(t, exchangetest.Question("m")))
		if asked.Path != "/proxy/api/chat" || asked.Header.Get("Authorization") != want {
			t.Errorf("asked %s with %v", asked.Path, asked.Header)
		}
	}
}

// signingKey puts a key where the SDK finds it.
func signingKey(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, ".ollama"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".ollama", "id_ed25519"), pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for base, ok := range map[string]bool{
		"": true, "127.0.0.1": true, "[::1]:8080": true, "0.0.0.0:11434": true, "https://ollama.com": true,
		"ftp://x": false, "http://[": false,
	} {
		if _, err := ollama.New(llm.Config{APIBase: base, HTTP: &http.Client{}}); (err == nil) != ok {
			t.Errorf("%q: %v", base, err)
		}
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	asked := dialect().Ask(t, llm.Config{}, "", `{"model":"e","embeddings":[[0.1,-2],[3,4.5]],"prompt_eval_count":6}`, func(c llm.Client) error {
		got, err := c.Embed(t.Context(), llm.EmbedRequest{Model: "e", Texts: []string{"a", "b"}, Dimensions: 2, Extra: value.Must(map[string]any{"truncate": false})})
		if len(got.Vectors) != 2 || got.Vectors[0][0] != 0.1 || got.Vectors[1][1] != 4.5 || got.Usage.PromptTokens != 6 {
			t.Errorf("%v %v", got.Vectors, got.Usage)
		}
		return err
	})
	exchangetest.Same(t, asked.Body, `{"model":"e","input":["a","b"],"dimensions":2,"truncate":false,"options":null}`)
}
