package llmactions

import (
	"context"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

type chatInput struct {
	Message    value.Value   `json:"message" doc:"What the user says now: a text, or a list of parts as in llm.call." example:"\"And what is green tea?\""`
	Messages   []value.Value `json:"messages,omitempty" doc:"What was said before: the messages of the last result. Absent or empty at the beginning."`
	System     value.Value   `json:"system,omitempty" doc:"What the model is told about its part. It is no part of the resulting messages, so give it every time." example:"\"You are brief.\""`
	MaxHistory int           `json:"max_history,omitempty" min:"1" doc:"How many of the earlier messages are kept, at most. By default all."`
	Stream     bool          `json:"stream" default:"false" doc:"True shows the answer as it comes."`
	passed
}

type chatOutput struct {
	answer
	Messages []value.Value `json:"messages" doc:"The conversation with both new turns: keep it, and give it back the next time."`
}

func chat() actions.Action {
	return actions.Define(actions.Spec{
		Name: "llm.chat", Version: 1, Effect: actions.Compose, Model: true,
		Summary: "Carries on a conversation with a language model.",
		Doc: "The conversation is the caller's to keep: what the result has as `messages` is given back with the next `message`. " +
			"The rest of the result is that of llm.call.",
		Examples: []actions.Example{{
			Title: "Say two things, one after the other",
			YAML: `- name: first
  uses: llm.chat
  with: {model: gpt-4o-mini, message: "What is {{ state.query }}?"}
  output: chat
- name: second
  uses: llm.chat
  with:
    model: gpt-4o-mini
    messages: "{{ state.chat.messages }}"
    message: Where does it grow?
    max_history: 20
  output: chat`,
		}},
	}, runChat)
}

func runChat(ctx context.Context, env actions.Env, in chatInput) (chatOutput, error) {
	input, err := parameters(in.passed)
	if err != nil {
		return chatOutput{}, err
	}
	system, history, err := in.history()
	if err != nil {
		return chatOutput{}, err
	}
	said := append(history, message("user", in.Message))
	a, err := invokeModel(ctx, env, input.With("messages", value.List(append(system, said...)...)), in.Stream)
	if err != nil {
		return chatOutput{}, err
	}
	messages, err := shown(append(said, a.turn()))
	return chatOutput{a, messages}, err
}

// history returns what the model is told about its part, and what was said
// before, as far as it is kept. It begins with a turn of the user: the answer
// to a turn that is gone would puzzle the model.
func (in chatInput) history() (system, said []value.Value, err error) {
	if !in.System.IsNull() {
		system = append(system, message("system", in.System))
	}
	for _, m := range in.Messages {
		if role := m.At("role").Text(); role != "system" {
			said = append(said, m)
		} else if in.System.IsNull() {
			system = append(system, m)
		} else {
			return nil, nil, wrong("system is given twice: by itself and in messages")
		}
	}
	if in.MaxHistory == 0 || len(said) <= in.MaxHistory {
		return system, said, nil
	}
	said = said[len(said)-in.MaxHistory:]
	for len(said) > 0 && said[0].At("role").Text() != "user" {
		said = said[1:]
	}
	return system, said, nil
}
