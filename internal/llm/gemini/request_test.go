package gemini_test

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
	return d.Ask(t, llm.Config{APIKey: "mine"}, "", d.Text.JSON, exchangetest.Call(t, r)).Body
}

func TestRequest(t *testing.T) {
	t.Parallel()
	r := exchangetest.Everything("gemini-test")
	r.Extra = value.Must(map[string]any{
		"generationConfig": map[string]any{"topK": 5, "seed": 8}, "cachedContent": "cachedContents/x",
	})
	exchangetest.Same(t, ask(t, r), `{
		"cachedContent": "cachedContents/x",
		"generationConfig": {"maxOutputTokens": 50, "temperature": 0.7, "topP": 0.9, "seed": 8, "topK": 5, "stopSequences": ["END"]},
		"systemInstruction": {"parts": [{"text": "Be brief."}], "role": "user"},
		"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
		"tools": [{"functionDeclarations": [{"name": "weather", "description": "Tells the weather.", "parametersJsonSchema": {
			"type": "object", "required": ["city"],
			"properties": {"city": {"type": "string", "minLength": 1}, "days": {"type": "integer"}}}}]}],
		"contents": [
			{"role": "user", "parts": [{"text": "What is this?"}, {"inlineData": {"mimeType": "image/png", "data": "cG5n"}}]},
			{"role": "model", "parts": [
				{"text": "Let me see."},
				{"functionCall": {"name": "weather", "args": {"city": "Paris"}}},
				{"functionCall": {"id": "id_b", "name": "weather", "args": {"arguments": "no object"}}}]},
			{"role": "user", "parts": [
				{"functionResponse": {"name": "weather", "response": {"degrees": 24}}},
				{"functionResponse": {"id": "id_b", "name": "weather", "response": {"output": "broken"}}},
				{"text": "And?"}]}
		]}`)
}

func TestChoices(t *testing.T) {
	t.Parallel()
	for choice, want := range map[string]string{
		"": `null`, "auto": `{"mode":"AUTO"}`, "none": `{"mode":"NONE"}`, "required": `{"mode":"ANY"}`,
		"weather": `{"mode":"ANY","allowedFunctionNames":["weather"]}`,
	} {
		r := exchangetest.Question("gemini-test")
		r.Tools, r.ToolChoice = exchangetest.Tools(), choice
		exchangetest.Same(t, ask(t, r).At("toolConfig", "functionCallingConfig"), want)
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	r := exchangetest.Question("gemini-test")
	r.Format = llm.Format{Type: "json_object"}
	exchangetest.Same(t, ask(t, r).At("generationConfig"), `{"responseMimeType":"application/json"}`)
	r.Format = llm.Format{Type: "json_schema", Schema: value.Must(map[string]any{"type": "integer", "minimum": 1})}
	exchangetest.Same(t, ask(t, r).At("generationConfig"),
		`{"responseMimeType":"application/json","responseJsonSchema":{"type":"integer","minimum":1}}`)
}

func TestSeedOutOfRange(t *testing.T) {
	t.Parallel()
	d := dialect()
	seed := int64(1) << 40
	r := exchangetest.Question("gemini-test")
	r.Seed = &seed
	d.Ask(t, llm.Config{}, "", "", func(c llm.Client) error {
		_, err := c.Generate(t.Context(), r, nil)
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.InvalidInput {
			t.Errorf("%v, want invalid input", err)
		}
		return nil
	})
}

func TestFiltered(t *testing.T) {
	t.Parallel()
	d := dialect()
	for _, answer := range []string{
		`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":4}}`,
		`{"candidates":[{"finishReason":"SAFETY"}],"usageMetadata":{"promptTokenCount":4}}`,
		`{"candidates":[{"finishReason":"PROHIBITED_CONTENT"}],"usageMetadata":{"promptTokenCount":4}}`,
	} {
		d.Ask(t, llm.Config{}, "", answer, func(c llm.Client) error {
			got, err := c.Generate(t.Context(), exchangetest.Question("gemini-test"), nil)
			if got.FinishReason != "content_filter" || got.Usage.PromptTokens != 4 {
				t.Errorf("%s: %s", answer, exchangetest.Show(got))
			}
			return err
		})
	}
}

// The environment of the user counts only where the caller hands it over.
func TestEnvironment(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "from-the-environment")
	for name, v := range map[string]string{
		"GOOGLE_GEMINI_BASE_URL":    "http://127.0.0.1:1",
		"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_GENAI_USE_ENTERPRISE": "true", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "l",
	} {
		t.Setenv(name, v)
	}
	d := dialect()
	for _, key := range []string{"mine", ""} {
		for path, version := range map[string]string{"": "/v1beta", "/": "/v1beta", "/v1": "/v1", "/proxy/v1alpha/": "/proxy/v1alpha"} {
			asked := d.Ask(t, llm.Config{APIKey: key}, path, d.Text.JSON, exchangetest.Call(t, exchangetest.Question("gemini-test")))
			if asked.Path != version+"/models/gemini-test:generateContent" || asked.Header.Get("X-Goog-Api-Key") != key {
				t.Errorf("%q: asked %s with %v", path, asked.Path, asked.Header)
			}
		}
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	d := dialect()
	asked := d.Ask(t, llm.Config{APIKey: "mine"}, "", `{"embeddings":[{"values":[0.1,-2]},{"values":[3,4.5]}]}`, func(c llm.Client) error {
		got, err := c.Embed(t.Context(), llm.EmbedRequest{Model: "e", Texts: []string{"a", "b"}, Dimensions: 2})
		if len(got.Vectors) != 2 || got.Vectors[0][0] != 0.1 || got.Vectors[1][1] != 4.5 {
			t.Errorf("%v", got.Vectors)
		}
		return err
	})
	exchangetest.Same(t, asked.Body, `{"requests":[
		{"model":"models/e","content":{"parts":[{"text":"a"}],"role":"user"},"outputDimensionality":2},
		{"model":"models/e","content":{"parts":[{"text":"b"}],"role":"user"},"outputDimensionality":2}]}`)
}

// Gemini refuses a call without the signature that it came with.
func TestSignaturesGoBack(t *testing.T) {
	t.Parallel()
	d := dialect()
	const said = `{"candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [
		{"functionCall": {"name": "weather", "args": {"city": "Oslo"}}, "thoughtSignature": "c2lnbmVk"}]}}]}`
	var got llm.Response
	d.Ask(t, llm.Config{APIKey: "mine"}, "", said, func(c llm.Client) (err error) {
		got, err = c.Generate(t.Context(), exchangetest.Question("gemini-test"), nil)
		return err
	})
	if len(got.ToolCalls) != 1 || got.ToolCalls[0].Signature != "c2lnbmVk" {
		t.Fatalf("calls %+v", got.ToolCalls)
	}
	r := exchangetest.Question("gemini-test")
	r.Messages = append(r.Messages, llm.Message{Role: llm.Assistant, ToolCalls: got.ToolCalls})
	if part := ask(t, r).At("contents").Index(1).At("parts").Index(0); part.At("thoughtSignature").Text() != "c2lnbmVk" {
		t.Errorf("sent back %s", part)
	}
}
