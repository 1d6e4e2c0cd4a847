package anthropic_test

import (
	"errors"
	"testing"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/exchange/exchangetest"
	"github.com/tea-agents/tea/value"
)

func ask(t *testing.T, r llm.Request) value.Value {
	t.Helper()
	d := dialect()
	return d.Ask(t, llm.Config{}, "", d.Text.JSON, exchangetest.Call(t, r)).Body
}

func TestRequest(t *testing.T) {
	t.Parallel()
	r := exchangetest.Everything("claude-test")
	r.Extra = value.Must(map[string]any{"top_k": 5, "metadata": map[string]any{"user.id": "u|1"}})
	exchangetest.Same(t, ask(t, r), `{
		"model": "claude-test", "max_tokens": 50, "temperature": 0.7, "top_p": 0.9, "stop_sequences": ["END"],
		"top_k": 5, "metadata": {"user.id": "u|1"},
		"system": [{"type": "text", "text": "Be brief."}],
		"tool_choice": {"type": "auto"},
		"tools": [{"name": "weather", "description": "Tells the weather.", "input_schema": {
			"type": "object", "required": ["city"],
			"properties": {"city": {"type": "string", "minLength": 1}, "days": {"type": "integer"}}}}],
		"messages": [
			{"role": "user", "content": [
				{"type": "text", "text": "What is this?"},
				{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cG5n"}}]},
			{"role": "assistant", "content": [
				{"type": "text", "text": "Let me see."},
				{"type": "tool_use", "id": "call_0", "name": "weather", "input": {"city": "Paris"}},
				{"type": "tool_use", "id": "id_b", "name": "weather", "input": {"arguments": "no object"}}]},
			{"role": "user", "content": [
				{"type": "tool_result", "tool_use_id": "call_0", "content": [{"type": "text", "text": "{\"degrees\": 24}"}]},
				{"type": "tool_result", "tool_use_id": "id_b", "content": [{"type": "text", "text": "broken"}]},
				{"type": "text", "text": "And?"}]}
		]}`)
}

func TestChoices(t *testing.T) {
	t.Parallel()
	for choice, want := range map[string]string{
		"": `null`, "auto": `{"type":"auto"}`, "none": `{"type":"none"}`, "required": `{"type":"any"}`,
		"weather": `{"type":"tool","name":"weather"}`,
	} {
		r := exchangetest.Question("claude-test")
		r.Tools, r.ToolChoice = exchangetest.Tools(), choice
		exchangetest.Same(t, ask(t, r).At("tool_choice"), want)
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	r := exchangetest.Question("claude-test")
	exchangetest.Same(t, ask(t, r).At("max_tokens"), "4096")

	r.Format = llm.Format{Type: "json_object"}
	if got := ask(t, r).At("system"); got.Len() != 2 || got.Index(1).At("text").Text() != r.Format.Instruction() {
		t.Errorf("system: %s", got)
	}

	r.Format = llm.Format{Type: "json_schema", Schema: exchangetest.Tools()[0].Parameters}
	body := ask(t, r)
	exchangetest.Same(t, body.At("output_config", "format", "type"), `"json_schema"`)
	exchangetest.Same(t, body.At("output_config", "format", "schema", "additionalProperties"), "false")
	exchangetest.Same(t, body.At("output_config", "format", "schema", "properties", "days"), `{"type":"integer"}`)
	exchangetest.Same(t, body.At("system"), `[{"type":"text","text":"Be brief."}]`)
}

func TestLongAnswersNeedNoStream(t *testing.T) {
	t.Parallel()
	r := exchangetest.Question("claude-test")
	r.MaxTokens = 200_000
	exchangetest.Same(t, ask(t, r).At("max_tokens"), "200000")
}

func TestImageByAddress(t *testing.T) {
	t.Parallel()
	r := llm.Request{Model: "claude-test", Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{{URL: "https://x.test/a.png"}}}}}
	exchangetest.Same(t, ask(t, r).At("messages"), `[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://x.test/a.png"}}]}]`)
}

// The environment of the user counts only where the caller hands it over.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"} {
		t.Setenv(name, "from-the-environment")
	}
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Env: from-the-environment")
	d := dialect()
	for _, path := range []string{"", "/", "/v1", "/v1/"} {
		asked := d.Ask(t, llm.Config{APIKey: "mine"}, path, d.Text.JSON, exchangetest.Call(t, exchangetest.Question("claude-test")))
		if asked.Path != "/v1/messages" || asked.Header.Get("X-Api-Key") != "mine" || asked.Header.Get("Authorization") != "" || asked.Header.Get("X-Env") != "" {
			t.Errorf("%q: asked %s with %v", path, asked.Path, asked.Header)
		}
	}
	asked := d.Ask(t, llm.Config{}, "", d.Text.JSON, exchangetest.Call(t, exchangetest.Question("claude-test")))
	if got := asked.Header.Get("X-Api-Key") + asked.Header.Get("Authorization"); got != "" {
		t.Errorf("without a key, %q was sent", got)
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	d := dialect()
	d.Ask(t, llm.Config{}, "", d.Text.JSON, func(c llm.Client) error {
		_, err := c.Embed(t.Context(), llm.EmbedRequest{Model: "m", Texts: []string{"a"}})
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.Unsupported {
			t.Errorf("%v, want unsupported", err)
		}
		return nil
	})
}
