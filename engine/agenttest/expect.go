package agenttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// Failure is an expectation that does not hold.
type Failure struct {
	Pos     diag.Pos // of the expectation
	Message string
}

// String returns "file:line:col: message".
func (f Failure) String() string { return f.Pos.String() + ": " + f.Message }

// ended is how the last run of a case went.
type ended struct {
	result engine.Result
	err    error
	path   []string
}

// judge compares a run with what was expected.
type judge struct {
	c         *Case
	filters   *filters.Set
	recording bool // calls of models are made that a replay will not make
	failed    []Failure
}

func (j *judge) fail(path []string, format string, args ...any) {
	j.failed = append(j.failed, Failure{Pos: j.c.place(path...), Message: fmt.Sprintf(format, args...)})
}

// all checks every expectation.
func (j *judge) all(ctx context.Context, o ended) []Failure {
	want := j.c.Expect
	j.ending(o.err)
	if !want.State.IsNull() {
		j.within([]string{"expect", "state"}, "state", want.State, o.result.State)
	}
	if !want.Output.IsNull() && !value.Equal(want.Output, o.result.Output) {
		j.fail([]string{"expect", "output"}, "output is %s, want %s", o.result.Output, want.Output)
	}
	if want.Path != nil && !slices.Equal(want.Path, o.path) {
		j.fail([]string{"expect", "path"}, "path is %s, want %s", arrows(o.path), arrows(want.Path))
	}
	j.counts(o.result.Stats)
	j.asserts(ctx, o.result)
	return j.failed
}

func arrows(path []string) string {
	if len(path) == 0 {
		return "empty"
	}
	return strings.Join(path, " → ")
}

// ending checks whether and how the run failed.
func (j *judge) ending(err error) {
	want := j.c.Expect.Error
	switch {
	case err == nil && want == nil:
		return
	case err == nil:
		j.fail([]string{"expect", "error"}, "the run did not fail")
		return
	case want == nil:
		j.fail(nil, "the run failed: %v", err)
		return
	}
	if code := string(actions.CodeOf(err)); want.Code != "" && code != want.Code {
		j.fail([]string{"expect", "error", "code"}, "the run failed with the code %s, want %s: %v", code, want.Code, err)
	}
	if !strings.Contains(err.Error(), want.Message) {
		j.fail([]string{"expect", "error", "message"}, "the run failed with %q, which does not hold %q", err, want.Message)
	}
	var failure *engine.NodeError
	if want.Node == "" {
		return
	}
	if !errors.As(err, &failure) {
		j.fail([]string{"expect", "error", "node"}, "no node failed, but the run: %v", err)
	} else if failure.Node != want.Node {
		j.fail([]string{"expect", "error", "node"}, "the node %s failed, want %s", failure.Node, want.Node)
	}
}

// within checks that got holds what want does: objects may have more keys,
// everything else is equal.
func (j *judge) within(path []string, name string, want, got value.Value) {
	if want.Kind() != value.KindObject || got.Kind() != value.KindObject {
		if !value.Equal(want, got) {
			j.fail(path, "%s is %s, want %s", name, short(got), short(want))
		}
		return
	}
	for key, member := range want.Members() {
		at, called := append(path[:len(path):len(path)], key), name+"."+key
		has, ok := got.Get(key)
		if !ok && !member.IsNull() {
			j.fail(at, "%s is missing; there is %s", called, strings.Join(got.Keys(), ", "))
			continue
		}
		j.within(at, called, member, has)
	}
}

// maxShown is how many characters of a value stand in a message.
const maxShown = 500

func short(v value.Value) string {
	text := []rune(v.String())
	if len(text) <= maxShown {
		return string(text)
	}
	return string(text[:maxShown]) + "…"
}

func (j *judge) counts(got engine.Stats) {
	if want := j.c.Expect.LLMCalls; want != nil && !j.recording && *want != got.Models {
		j.fail([]string{"expect", "llm_calls"}, "%d calls reached a model, want %d", got.Models, *want)
	}
	want := j.c.Expect.Cache
	if want == nil {
		return
	}
	if want.Hits != nil && *want.Hits != got.Hits {
		j.fail([]string{"expect", "cache", "hits"}, "the cache served %d calls, want %d", got.Hits, *want.Hits)
	}
	if want.Misses != nil && *want.Misses != got.Misses {
		j.fail([]string{"expect", "cache", "misses"}, "the cache missed %d calls, want %d", got.Misses, *want.Misses)
	}
}

// asserts evaluates the expressions.
func (j *judge) asserts(ctx context.Context, r engine.Result) {
	scope := filters.MapScope{"state": r.State, "output": r.Output}
	for i, source := range j.c.Expect.Assert {
		path := []string{"expect", "assert", strconv.Itoa(i)}
		expr, err := j.filters.CompileExpr(source)
		if err != nil {
			j.fail(path, "%s: %v", source, err)
			continue
		}
		switch ok, err := expr.Condition(ctx, scope); {
		case err != nil:
			j.fail(path, "%s: %v", source, err)
		case !ok:
			j.fail(path, "%s is not true%s", source, j.where(ctx, expr, scope))
		}
	}
}

// where tells what the paths in an expression stand for.
func (j *judge) where(ctx context.Context, expr *filters.Expr, scope filters.Scope) string {
	var known []string
	for _, path := range expr.Paths() {
		read, err := j.filters.CompileExpr(path.String())
		if err != nil {
			continue
		}
		if v, err := read.Eval(ctx, scope); err == nil {
			known = append(known, path.String()+" is "+short(v))
		}
	}
	if len(known) == 0 {
		return ""
	}
	return ": " + strings.Join(known, ", ")
}
