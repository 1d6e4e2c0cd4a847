package llmactions

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

type retryInput struct {
	conversation[value.Value]
	passed
	offered
	patience
	Repair bool `json:"repair" default:"false" doc:"True tells the model what is wrong with an answer that is not the JSON asked for, and lets it answer again; that is an attempt, too."`
}

// patience says how often and when to try again.
type patience struct {
	MaxAttempts int           `json:"max_attempts" default:"3" min:"1" max:"100" doc:"How often to try, the first time included."`
	Delay       time.Duration `json:"delay" default:"1s" min:"0" doc:"Wait before the second attempt."`
	Backoff     float64       `json:"backoff" default:"2" min:"1" max:"100" doc:"Each further wait is this many times the one before it."`
	MaxDelay    time.Duration `json:"max_delay" default:"1m" min:"0" doc:"The longest wait. Where the provider asks for a longer one, the action fails at once."`
	Jitter      float64       `json:"jitter" default:"0.1" min:"0" max:"1" doc:"By which share of it a wait is varied by chance."`
	On          []string      `json:"on" default:"[\"unavailable\",\"timeout\",\"conflict\"]" enum:"invalid_input,not_found,denied,conflict,too_large,unsupported,unavailable,timeout,failed,credential_missing" doc:"The kinds of failure that are worth another attempt."`
}

type retryOutput struct {
	answer
	Attempts int `json:"attempts" doc:"How often the model was asked."`
}

func retry() actions.Action {
	return actions.Define(actions.Spec{
		Name: "llm.retry", Version: 1, Effect: actions.Compose, Model: true,
		Summary: "Asks a language model again when it fails.",
		Doc: "Every attempt is a call of llm.call. A wait that the provider asks for is kept. " +
			"With `repair: true` an answer that is not the JSON that `response_format` asks for goes back to the model, with what is wrong with it. " +
			"`usage` and `cost_usd` are those of all answers together.",
		Examples: []actions.Example{{
			Title: "Insist on valid JSON",
			YAML: `- name: classify
  uses: llm.retry
  with:
    model: gpt-4o-mini
    prompt: "What kind of drink is {{ state.query }}? Answer as JSON: {kind}."
    response_format: json_object
    max_attempts: 4
    repair: true
  output: answer`,
		}},
	}, runRetry)
}

func runRetry(ctx context.Context, env actions.Env, in retryInput) (retryOutput, error) {
	input, messages, err := in.question()
	if err != nil {
		return retryOutput{}, err
	}
	var sum bill
	for attempt := 1; ; attempt++ {
		a, err := invokeModel(ctx, env, input.With("messages", value.List(messages...)), false)
		switch {
		case err != nil && !in.again(err, attempt):
			return retryOutput{}, gaveUp(err, attempt)
		case err != nil:
			if err := env.Clock.Sleep(ctx, in.wait(env, err, attempt)); err != nil {
				return retryOutput{}, err
			}
			continue
		}
		sum.add(a)
		if a.Success || !in.Repair {
			a.Usage, a.CostUSD = sum.usage, sum.cost()
			return retryOutput{a, attempt}, nil
		}
		if attempt == in.MaxAttempts {
			return retryOutput{}, gaveUp(actions.Errorf(actions.CodeFailed, "%s", a.Error), attempt)
		}
		messages = slices.Concat(messages, []value.Value{a.turn(), complaint(a)})
	}
}

// question returns the parameters of every attempt, and the conversation at the
// beginning.
func (in retryInput) question() (input value.Value, messages []value.Value, err error) {
	if input, err = parameters(in.passed, in.offered); err != nil {
		return input, nil, err
	}
	if in.Repair {
		if input, err = repairable(input); err != nil {
			return input, nil, err
		}
	}
	messages, err = in.turns("llm.retry")
	return input, messages, err
}

// repairable returns the input of a call that hands back what cannot be used.
func repairable(input value.Value) (value.Value, error) {
	format := input.At("response_format")
	kind := format.Text()
	if format.Kind() == value.KindObject {
		kind = format.At("type").Text()
	}
	if kind == "" || kind == "text" {
		return input, wrong("repair: any text is a valid answer here; it needs a response_format, such as json_object")
	}
	return input.With("on_invalid", value.String("return")), nil
}

// complaint tells the model what is wrong with its answer.
func complaint(a answer) value.Value {
	return message("user", value.String("Your answer cannot be used. "+a.Error+
		"\n\nAnswer again: the whole of it, corrected, as JSON and with nothing around it."))
}

// again tells whether a failure is worth another attempt.
func (p patience) again(err error, attempt int) bool {
	code := actions.CodeOf(err)
	return attempt < p.MaxAttempts && !code.Fatal() && slices.Contains(p.On, string(code)) &&
		actions.RetryAfter(err) <= p.MaxDelay
}

// wait returns how long to wait after a failed attempt, counted from 1.
func (p patience) wait(env actions.Env, err error, attempt int) time.Duration {
	seconds := p.Delay.Seconds() * math.Pow(p.Backoff, float64(attempt-1))
	seconds *= 1 + p.Jitter*(2*env.Rand()-1)
	delay := p.MaxDelay
	if seconds < p.MaxDelay.Seconds() {
		delay = time.Duration(seconds * float64(time.Second))
	}
	return max(delay, actions.RetryAfter(err))
}

// gaveUp says after how many attempts a failure was final.
func gaveUp(err error, attempts int) error {
	if attempts == 1 {
		return err
	}
	return &actions.Error{
		Code: actions.CodeOf(err), RetryAfter: actions.RetryAfter(err), Err: err,
		Message: "gave up after " + value.Int(int64(attempts)).String() + " attempts: " + err.Error(),
	}
}
