package graph

import (
	"context"

	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// CachePlan is a node's `cache:`, with what settings.cache says beneath it. It
// is immutable and safe for concurrent use.
type CachePlan struct {
	Pos    diag.Pos
	with   *Args
	schema *schema.Object // of cache.Settings
	unless *Expr          // nil: never
}

// Policy renders the options for one call. The result of `unless` is judged
// later with scope, in which `result` is then the result of the call.
func (p *CachePlan) Policy(ctx context.Context, scope filters.Scope) (cache.Policy, error) {
	in, late, err := p.with.Render(ctx, scope)
	if err != nil {
		return cache.Policy{}, err
	}
	var s cache.Settings
	if err := p.schema.DecodeWith(in, &s, schema.Options{Late: late}); err != nil {
		return cache.Policy{}, p.problem(err)
	}
	policy, problems := s.Policy()
	if err := problems.Err(); err != nil {
		return cache.Policy{}, p.problem(err)
	}
	if p.unless != nil {
		ctx := context.WithoutCancel(ctx) // others may wait for the result, or it is refreshed later
		policy.Unless = func(result value.Value) (bool, error) {
			return p.unless.True(ctx, withResult{scope, result})
		}
	}
	return policy, nil
}

func (p *CachePlan) problem(err error) error {
	d := diag.Diagnostic{Pos: p.Pos, Code: codeCache, Message: "cache: " + err.Error()}
	return &Error{Problems: diag.List{d}, Err: err}
}

// withResult is a scope in which `result` stands for a value.
type withResult struct {
	filters.Scope
	result value.Value
}

// Lookup implements filters.Scope.
func (w withResult) Lookup(name string) (value.Value, bool) {
	if name == "result" {
		return w.result, true
	}
	return w.Scope.Lookup(name)
}
