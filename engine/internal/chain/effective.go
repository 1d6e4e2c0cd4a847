package chain

import (
	"context"
	"slices"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// The parameters of calls of models that the chain itself reads.
const (
	paramAPIBase  = "api_base"
	paramAPIKey   = "api_key"
	paramCache    = "cache"
	paramHeaders  = "headers"
	paramModel    = "model"
	paramPrices   = "prices"
	paramProvider = "provider"
)

// effective hands calls of models on with their parameters completed, and all
// others as they are.
func (l *links) effective(plain, model actions.Handler) actions.Handler {
	return func(ctx context.Context, call *actions.Call) (actions.Result, error) {
		a, ok := l.Models.Actions[call.Action]
		if !ok {
			return plain(ctx, call)
		}
		input, err := l.complete(a, call.Input)
		if err != nil {
			return actions.Result{}, l.Scrubber.Error(err)
		}
		full := *call
		full.Input = input
		return model(ctx, &full)
	}
}

// complete puts the agent's settings under the input of a call and, where the
// action asks the model itself, finds out whom it asks.
func (l *links) complete(a actions.Action, input value.Value) (value.Value, error) {
	if input.IsNull() {
		input = value.Object()
	}
	if input.Kind() != value.KindObject {
		return input, nil // the action says what is wrong
	}
	s := a.Spec()
	defaults := l.defaults(a)
	if s.Effect == actions.Compose {
		input = withoutEndpoint(defaults).Merge(input)
	} else {
		full, err := llm.Effective(s.Name, input, defaults, l.Models.Getenv)
		if err != nil {
			return input, actions.Errorf(actions.CodeInvalidInput, "%w", err)
		}
		input = full
	}
	l.Scrubber.AddCredentials(input)
	return input, nil
}

// defaults are the agent's settings as far as they are parameters of a.
func (l *links) defaults(a actions.Action) value.Value {
	d := value.Object()
	for key, v := range l.Models.Settings.Members() {
		if _, declared := a.Input().Field(key); declared && key != paramCache {
			d = d.With(key, v)
		}
	}
	return d
}

// withoutEndpoint leaves out whom to ask, and what depends on it: the calls
// that an action makes find that out for themselves, where it does not say
// another model than the settings do.
func withoutEndpoint(settings value.Value) value.Value {
	for _, key := range []string{paramProvider, paramModel, paramAPIBase, paramAPIKey, "api_version", paramHeaders, "extra"} {
		settings = settings.Without(key)
	}
	return settings
}

// AddCredentials remembers the credentials that stand as text in the
// parameters of a call of a model: its key, and headers that carry one.
func (s *Scrubber) AddCredentials(parameters value.Value) {
	s.Add(parameters.At(paramAPIKey).Text())
	for name, v := range parameters.At(paramHeaders).Members() {
		if !isCredential(name) {
			continue
		}
		s.Add(v.Text())
		if _, token, ok := strings.Cut(v.Text(), " "); ok { // "Bearer …"
			s.Add(token)
		}
	}
}

// isCredential tells whether a header of that name carries a credential.
func isCredential(header string) bool {
	header = strings.ToLower(header)
	return slices.ContainsFunc([]string{"authorization", "api-key", "apikey", "token", "secret", "password", "cookie"}, func(word string) bool {
		return strings.Contains(header, word)
	})
}
