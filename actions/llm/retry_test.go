package llmactions_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/llm"
)

func busy(after time.Duration) error {
	return &llm.Error{Kind: llm.Unavailable, Message: "busy", RetryAfter: after}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	const base = `"model": "gpt-4o", "prompt": "x", "jitter": 0`
	for _, tt := range []struct {
		name, input string
		script      []reply
		attempts    string // "" for a failure
		code        actions.Code
		waited      time.Duration
	}{
		{"at once", base, []reply{"a"}, "1", "", 0},
		{"waits grow", base + `, "max_attempts": 4`, []reply{busy(0), busy(0), busy(0), "a"}, "4", "", 7 * time.Second},
		{"waits are bounded", base + `, "max_attempts": 4, "max_delay": "2s"`, []reply{busy(0), busy(0), busy(0), "a"}, "4", "", 5 * time.Second},
		{"asked to wait", base, []reply{busy(30 * time.Second), "a"}, "2", "", 30 * time.Second},
		{"asked to wait too long", base, []reply{busy(2 * time.Minute), "a"}, "", actions.CodeUnavailable, 0},
		{"gives up", base + `, "max_attempts": 2`, []reply{busy(0), busy(0), "a"}, "", actions.CodeUnavailable, time.Second},
		{"not worth it", base, []reply{&llm.Error{Kind: llm.Denied, Message: "no"}, "a"}, "", actions.CodeDenied, 0},
		{"worth it here", base + `, "on": ["denied"]`, []reply{&llm.Error{Kind: llm.Denied, Message: "no"}, "a"}, "2", "", time.Second},
		{"fatal", base + `, "on": ["failed"]`, []reply{actions.Errorf(actions.CodeReplayMiss, "no"), "a"}, "", actions.CodeReplayMiss, 0},
		{"chance", `"model": "gpt-4o", "prompt": "x", "jitter": 1`, []reply{busy(0), "a"}, "2", "", time.Second}, // a constant half
	} {
		b := newBench(t, tt.script...)
		start := b.clock.Now()
		got, err := b.Call("llm.retry", `{`+tt.input+`}`)
		if actions.CodeOf(err) != tt.code || err == nil && got.At("attempts").String() != tt.attempts {
			t.Errorf("%s: %v, %v", tt.name, got, err)
		}
		if waited := b.clock.Now().Sub(start); waited != tt.waited {
			t.Errorf("%s: waited %s, want %s", tt.name, waited, tt.waited)
		}
	}
	newBench(t, busy(0), busy(0)).Fails("llm.retry", `{`+base+`, "max_attempts": 2}`, actions.CodeUnavailable, "gave up after 2 attempts: busy")
}

func TestRepair(t *testing.T) {
	t.Parallel()
	const input = `{"model": "gpt-4o", "prompt": "x", "response_format": "json_object", "repair": true, "max_attempts": 3}`
	b := newBench(t, "no", busy(0), `{"a": 1}`)
	got := b.Must("llm.retry", input)
	if got.At("parsed").String() != `{"a":1}` || got.At("attempts").String() != "3" || got.At("usage", "total_tokens").String() != "24" {
		t.Errorf("%s", got)
	}
	said := b.last(t).Messages
	if len(said) != 3 || said[1].Parts[0].Text != "no" || !strings.Contains(said[2].Parts[0].Text, "it is not JSON") {
		t.Errorf("the model was told %+v", said)
	}
	newBench(t, "1", "2", "3").Fails("llm.retry", input, actions.CodeFailed, "gave up after 3 attempts: the answer is not what response_format asks for")
	newBench(t, "no", "{}").Fails("llm.retry", `{"model": "gpt-4o", "prompt": "x", "response_format": "json_object"}`, actions.CodeFailed, "not JSON")
	newBench(t).Fails("llm.retry", `{"model": "gpt-4o"}`, actions.CodeInvalidInput, "give messages or a prompt")
	newBench(t).Fails("llm.retry", `{"model": "gpt-4o", "prompt": "x", "messages": [{"role": "user", "content": "y"}]}`, actions.CodeInvalidInput, "either messages or prompt")
	newBench(t).Fails("llm.retry", `{"model": "gpt-4o", "prompt": "x", "repair": true}`, actions.CodeInvalidInput, "repair: any text is a valid answer")
}
