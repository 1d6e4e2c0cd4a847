package cacheactions

import (
	"context"
	"fmt"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

type wrapInput struct {
	Action string                 `json:"action" min:"1" doc:"The action to run, such as http.get." example:"http.get"`
	Args   map[string]value.Value `json:"args" doc:"Its parameters." example:"{\"url\":\"https://example.org\"}"`
	cache.Settings
	OnActionError string `json:"on_action_error" default:"raise" enum:"raise,return" doc:"What a failure of the action does: fail this one too, or become its result."`
}

type wrapOutput struct {
	Success   bool        `json:"success" doc:"Whether the action succeeded."`
	Result    value.Value `json:"result" doc:"The result of the action, fresh or stored."`
	Hit       bool        `json:"_cache_hit" doc:"Whether the result was stored before."`
	Key       string      `json:"_cache_key" doc:"The full key; empty when there is none."`
	CreatedAt string      `json:"_cache_created_at,omitempty" doc:"When the result was stored; only where it is served."`
	Status    string      `json:"_cache_status" doc:"What the cache did." enum:"hit,miss,expired,refreshed,bypass,uncacheable,stale,error"`
	Reason    string      `json:"_cache_reason" doc:"Why it was no hit, why the result was not stored, or why it is a stale one; else empty."`
	Error     string      `json:"error,omitempty" doc:"Why the action failed."`
	ErrorType string      `json:"error_type,omitempty" doc:"The kind of failure."`
}

func wrap() actions.Action {
	return actions.Define(actions.Spec{
		Name: "cache.wrap", Version: 1, Effect: actions.Compose,
		Summary: "Runs an action, or returns its result from an earlier run.",
		Doc: `The result of the action is stored in long-term memory under a key, for 60 days
unless you say otherwise. The next call with the same key returns it without
running the action. Only complete success is stored,
and failures as far as ` + "`negative_ttl`" + ` asks for it.

` + "`stale_while_revalidate`" + ` serves a result whose time is over at once and
refreshes it in the background; ` + "`stale_if_error`" + ` serves it when the action
fails. The status is ` + "`stale`" + ` then. ` + "`lock: lease`" + ` lets equal calls
run once among all processes that use the store.

Trouble with the store never fails the action: it runs uncached then, and
` + "`_cache_status`" + ` is ` + "`error`" + `. When no key can be made, the action runs uncached
and the status is ` + "`uncacheable`" + `.`,
		Examples: []actions.Example{
			{
				Title: "Fetch a page at most once a day",
				YAML: `- name: page
  uses: cache.wrap
  with:
    action: http.get
    ttl: 24h
    args: {url: "https://example.org/prices"}
  output: page`,
			},
			{
				Title: "Work on each version of a file once",
				YAML: `- name: rows
  uses: cache.wrap
  with:
    action: csv.read
    key_strategy: file_content
    key_source: path
    args: {path: "{{ state.path }}"}
  output: rows`,
			},
			{
				Title: "Choose the key",
				YAML: `- name: search
  uses: cache.wrap
  with:
    action: http.get
    key: "search:{{ state.query | lower | sha256 }}"
    ttl_hours: 24
    args: {url: "https://example.org/?q={{ state.query | urlencode }}"}
  output: found`,
			},
		},
	}, runWrap)
}

func runWrap(ctx context.Context, env actions.Env, in wrapInput) (wrapOutput, error) {
	if err := checkAction(env, in.Action); err != nil {
		return wrapOutput{}, err
	}
	policy, problems := in.Policy()
	if err := problems.Err(); err != nil {
		return wrapOutput{}, err
	}
	if in.Unless != "" {
		unless, err := compileUnless(ctx, env.Filters, in.Unless)
		if err != nil {
			return wrapOutput{}, err
		}
		policy.Unless = unless
	}
	result, err := env.Invoke(ctx, in.Action, value.Map(in.Args), actions.Policy{Cache: &policy})
	if err != nil {
		if in.OnActionError != "return" || actions.CodeOf(err).Fatal() {
			return wrapOutput{}, err
		}
		return envelope(actions.FailureResult(err), result.Meta.Cache).failed(), nil
	}
	return envelope(result.Output, result.Meta.Cache), nil
}

// checkAction says which action could have been meant when there is none of
// that name.
func checkAction(env actions.Env, name string) error {
	if env.Registry == nil {
		return nil
	}
	if _, ok := env.Registry.Lookup(name); ok {
		return nil
	}
	hint := ""
	if s := env.Registry.Suggest(name); s != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", s)
	}
	return actions.Errorf(actions.CodeInvalidInput, "action: unknown action %q%s", name, hint)
}

// compileUnless compiles an expression on a result; nil known are the standard
// filters.
func compileUnless(ctx context.Context, known *filters.Set, text string) (func(value.Value) (bool, error), error) {
	set := known
	if set == nil {
		set = filters.Default()
	}
	expr, err := set.CompileExpr(text)
	if err != nil {
		return nil, actions.Errorf(actions.CodeInvalidInput, "unless: %w", err)
	}
	ctx = context.WithoutCancel(ctx) // others may wait for the result too
	return func(result value.Value) (bool, error) {
		v, err := expr.Eval(ctx, filters.MapScope{"result": result})
		if err != nil {
			return false, err
		}
		return filters.Condition(v)
	}, nil
}

// envelope puts a result beside what the cache did. A result that says that the
// action failed is a failure of this one too.
func envelope(result value.Value, o *cache.Outcome) wrapOutput {
	if o == nil {
		o = &cache.Outcome{Status: cache.Bypass, Reason: "no_cache"}
	}
	out := wrapOutput{
		Success: true, Result: result,
		Hit: o.Served(), Key: o.Key, Status: string(o.Status), Reason: o.Reason,
	}
	if out.Hit {
		out.CreatedAt = cache.FormatTime(o.CreatedAt)
	}
	if success, ok := result.At("success").AsBool(); ok && !success {
		out.Success = false
		out.Error = result.At("error").Text()
		out.ErrorType = result.At("error_type").Text()
	}
	return out
}

// failed takes the result off an envelope whose action has none.
func (o wrapOutput) failed() wrapOutput {
	o.Result = value.Null()
	return o
}
