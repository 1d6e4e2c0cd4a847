package proxy

import (
	"errors"
	"net/http"

	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/internal/llmwire"
	"github.com/tea-agents/tea/value"
)

// failure is an answer of the proxy's own.
type failure struct {
	status  int
	kind    string // a word for machines
	message string
	detail  value.Value // an object, or null
}

// explain turns an error into an answer.
func explain(err error) failure {
	var nowhere *routeError
	var miss *cassette.ReplayMissError
	switch {
	case errors.As(err, &nowhere):
		return failure{nowhere.status, "not_routed", nowhere.message, value.Null()}
	case errors.As(err, &miss):
		return failure{http.StatusFailedDependency, "replay_miss", miss.Error(), missDetail(miss)}
	case errors.Is(err, cassette.ErrForbidden):
		return failure{http.StatusFailedDependency, "forbidden", err.Error(), value.Null()}
	case errors.Is(err, cassette.ErrClosed):
		return failure{http.StatusServiceUnavailable, "closed", err.Error(), value.Null()}
	default:
		return failure{http.StatusBadGateway, "upstream", "the upstream gave no answer: " + err.Error(), value.Null()}
	}
}

func missDetail(miss *cassette.ReplayMissError) value.Value {
	detail := value.Object(value.M("key", value.String(miss.Key)), value.M("file", value.String(miss.File)))
	if miss.Closest != nil {
		detail = detail.With("closest", value.String(miss.Closest.Hash)).With("diff", value.String(miss.Diff))
	}
	return detail
}

// body returns the failure in the shape in which the clients of a provider
// expect errors. The detail is beside it, for people and tools that know us.
func (f failure) body(provider string) value.Value {
	kind, message := value.String("tea_"+f.kind), value.String(f.message)
	var v value.Value
	switch provider {
	case llmwire.Anthropic:
		v = value.Object(value.M("type", value.String("error")),
			value.M("error", value.Object(value.M("type", kind), value.M("message", message))))
	case llmwire.Gemini:
		v = value.Object(value.M("error", value.Object(
			value.M("code", value.Int(int64(f.status))), value.M("message", message), value.M("status", kind))))
	case llmwire.Ollama:
		v = value.Object(value.M("error", message))
	default:
		v = value.Object(value.M("error", value.Object(
			value.M("message", message), value.M("type", kind), value.M("param", value.Null()), value.M("code", value.String(f.kind)))))
	}
	if !f.detail.IsNull() {
		v = v.With("tea", f.detail)
	}
	return v
}

// write answers with the failure. Clients are told not to try again: it would be
// the same.
func (f failure) write(w http.ResponseWriter, provider string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Should-Retry", "false")
	w.WriteHeader(f.status)
	_, _ = w.Write(append(f.body(provider).AppendJSON(nil), '\n')) //nolint:gosec // JSON, and typed so: no browser takes it for a page
}
