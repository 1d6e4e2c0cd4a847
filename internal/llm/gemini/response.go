package gemini

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"google.golang.org/genai"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// theirs returns the id of a call if the API gave it, else "".
func theirs(id string) string {
	ordinal, ok := strings.CutPrefix(id, "call_")
	if n, err := strconv.Atoi(ordinal); ok && err == nil && id == llm.CallID(n) {
		return ""
	}
	return id
}

// answer collects responses, whether it is the one or those of a stream.
type answer struct {
	sink   func(llm.Delta) // nil: not streamed
	text   strings.Builder
	calls  []llm.ToolCall
	reason string // the API's; "" until the end was seen
	model  string
	usage  llm.Usage
}

func (a *answer) add(r *genai.GenerateContentResponse) error {
	if r.ModelVersion != "" {
		a.model = r.ModelVersion
	}
	if u := r.UsageMetadata; u != nil {
		a.usage = llm.Usage{
			PromptTokens:     int64(u.PromptTokenCount) + int64(u.ToolUsePromptTokenCount),
			CompletionTokens: int64(u.CandidatesTokenCount) + int64(u.ThoughtsTokenCount),
			CachedTokens:     int64(u.CachedContentTokenCount),
		}
	}
	if f := r.PromptFeedback; f != nil && f.BlockReason != "" {
		a.reason = string(genai.FinishReasonSafety)
	}
	for _, c := range r.Candidates {
		if c.Index != 0 { // only more candidates asked for by Extra have one
			continue
		}
		if c.FinishReason != "" {
			a.reason = string(c.FinishReason)
		}
		if c.Content == nil {
			continue
		}
		for _, p := range c.Content.Parts {
			if err := a.part(p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *answer) part(p *genai.Part) error {
	switch {
	case p.FunctionCall != nil:
		return a.call(p.FunctionCall, p.ThoughtSignature)
	case p.Text != "" && !p.Thought:
		a.text.WriteString(p.Text)
		a.send(llm.Delta{Text: p.Text})
	}
	return nil
}

func (a *answer) send(d llm.Delta) {
	if a.sink != nil {
		a.sink(d)
	}
}

func (a *answer) call(f *genai.FunctionCall, signature []byte) error {
	i := len(a.calls)
	c := llm.ToolCall{ID: f.ID, Name: f.Name, Arguments: value.Object(), Signature: base64.StdEncoding.EncodeToString(signature)}
	if c.ID == "" {
		c.ID = llm.CallID(i)
	}
	if len(f.Args) > 0 {
		text, err := json.Marshal(f.Args) // whole numbers become integers again
		if err != nil {
			return err
		}
		if c.Arguments, err = value.Parse(text); err != nil {
			return err
		}
	}
	a.calls = append(a.calls, c)
	a.send(llm.Delta{ToolCall: &llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Name, Arguments: c.Arguments.String()}})
	return nil
}

func (a *answer) response() llm.Response {
	return llm.Response{Content: a.text.String(), ToolCalls: a.calls, FinishReason: a.finish(), Model: a.model, Usage: a.usage}
}

func (a *answer) finish() string {
	switch genai.FinishReason(a.reason) {
	case genai.FinishReasonStop, "FUNCTION_CALL": // the latter from servers like it
		if len(a.calls) > 0 {
			return "tool_calls"
		}
		return "stop"
	case genai.FinishReasonMaxTokens:
		return "length"
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonBlocklist,
		genai.FinishReasonProhibitedContent, genai.FinishReasonSPII, genai.FinishReasonImageSafety,
		genai.FinishReasonImageProhibitedContent, genai.FinishReasonImageRecitation:
		return "content_filter"
	default:
		return a.reason
	}
}
