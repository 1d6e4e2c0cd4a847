package httpactions

import (
	"context"
	"net/http"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// Actions returns the actions of the group http.
func Actions() []actions.Action {
	return []actions.Action{get(), post(), request()}
}

// target is what every request has.
type target struct {
	URL             string                 `json:"url" doc:"Address, http or https." example:"https://api.example.org/items"`
	Headers         map[string]string      `json:"headers,omitempty" doc:"Request headers."`
	Params          map[string]value.Value `json:"params,omitempty" doc:"Query parameters put behind the address; a list repeats its key, null leaves it out."`
	Timeout         time.Duration          `json:"timeout" doc:"Bound of the whole request." default:"30s" min:"1ms"`
	MaxBytes        int64                  `json:"max_bytes" doc:"A larger body is a failure (too_large)." default:"10485760" min:"0"`
	FollowRedirects bool                   `json:"follow_redirects" doc:"Whether to follow redirects, ten at most." default:"true"`
	RaiseForStatus  bool                   `json:"raise_for_status" doc:"Whether a status other than 2xx is a failure." default:"true"`
	ExpectStatus    []int                  `json:"expect_status,omitempty" doc:"The statuses that are no failure; overrules raise_for_status."`
}

// payload is what a request may carry; at most one of them.
type payload struct {
	JSON *value.Value           `json:"json,omitempty" doc:"Body, sent as JSON."`
	Body *string                `json:"body,omitempty" doc:"Body, sent as it is."`
	Form map[string]value.Value `json:"form,omitempty" doc:"Body, sent as a form."`
}

type getInput struct {
	target
}

type postInput struct {
	target
	payload
}

type requestInput struct {
	Method string `json:"method" doc:"HTTP method." enum:"GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS" default:"GET"`
	target
	payload
}

type response struct {
	Status    int               `json:"status" doc:"HTTP status."`
	Headers   map[string]string `json:"headers" doc:"Response headers, names in lower case."`
	Body      string            `json:"body" doc:"The body as text, or in base64 when it is not UTF-8."`
	Encoding  string            `json:"encoding" doc:"utf-8 or base64: what body is in."`
	JSON      *value.Value      `json:"json,omitempty" doc:"The parsed body where the server says that it is JSON. Integers keep every digit."`
	JSONError string            `json:"json_error,omitempty" doc:"Why such a body could not be parsed."`
	URL       string            `json:"url" doc:"The address after redirects, with credentials and query values masked."`
}

const failures = "Other statuses than 2xx fail the node: 404 and 410 as `not_found`, 401 and 403 as `denied`, 408 and 504 as `timeout`, " +
	"429 and other 5xx as `unavailable` (a `Retry-After` is kept for `retry`), 409 and 412 as `conflict`, everything else as `failed`. " +
	"`raise_for_status: false` returns them instead."

func spec(name, summary string, example actions.Example) actions.Spec {
	return actions.Spec{
		Name: name, Version: 1, Effect: actions.Read, Outward: true,
		Summary: summary, Doc: failures, Examples: []actions.Example{example},
	}
}

func get() actions.Action {
	return actions.Define(spec("http.get", "Fetches a page or an API's answer.", actions.Example{
		Title: "Fetch JSON with a secret",
		YAML: `- name: fetch
  uses: http.get
  with:
    url: https://api.example.org/items
    params: {limit: 10}
    headers: {Authorization: "Bearer {{ secrets.API_KEY }}"}
  output: answer`,
	}), func(ctx context.Context, env actions.Env, in getInput) (response, error) {
		return do(ctx, env, http.MethodGet, in.target, payload{})
	})
}

func post() actions.Action {
	return actions.Define(spec("http.post", "Sends data to an API.", actions.Example{
		Title: "Send JSON",
		YAML: `- name: send
  uses: http.post
  with: {url: "https://api.example.org/items", json: {name: tea}}
  output: answer`,
	}), func(ctx context.Context, env actions.Env, in postInput) (response, error) {
		return do(ctx, env, http.MethodPost, in.target, in.payload)
	})
}

func request() actions.Action {
	return actions.Define(spec("http.request", "Makes an HTTP request of any method.", actions.Example{
		Title: "Delete, and accept that it is gone",
		YAML: `- name: delete
  uses: http.request
  with: {method: DELETE, url: "https://api.example.org/items/1", expect_status: [204, 404]}
  output: answer`,
	}), func(ctx context.Context, env actions.Env, in requestInput) (response, error) {
		return do(ctx, env, in.Method, in.target, in.payload)
	})
}
