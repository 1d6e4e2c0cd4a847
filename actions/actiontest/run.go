package actiontest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// Harness adapts the suite to the actions under test. A nil *Harness is the
// zero one.
type Harness struct {
	// Env makes the environment of one action's calls; nil is [Env].
	Env func(tb testing.TB, r *actions.Registry) actions.Env
	// Writes says that Env confines what actions with the effect Write can do,
	// so that they, too, may be run with random input. Without it they only
	// see input that they must refuse.
	Writes bool
	// Inputs holds, per action, a valid input that random ones are made from,
	// so that they get past the first checks.
	Inputs map[string]value.Value
	// Runs is how many random inputs each action gets; 0 is 200.
	Runs int
}

// Run checks every action of r against every rule of the contract, as a
// subtest each.
func Run(t *testing.T, r *actions.Registry, h *Harness) {
	t.Helper()
	for _, a := range r.All() {
		t.Run(a.Spec().Name, func(t *testing.T) {
			t.Parallel()
			for _, rule := range rules {
				t.Run(rule.name, func(t *testing.T) {
					s := newSubject(t, r, a, h)
					rule.check(s)
					for _, v := range s.violations {
						t.Errorf("%s\n\trule: %s", v, rule.text)
					}
				})
			}
		})
	}
}

// Violations returns what is wrong with the actions of r, a line each:
// "action/rule: what". It is Run for those who test the suite itself.
func Violations(tb testing.TB, r *actions.Registry, h *Harness) []string {
	tb.Helper()
	var all []string
	for _, a := range r.All() {
		for _, rule := range rules {
			s := newSubject(tb, r, a, h)
			rule.check(s)
			for _, v := range s.violations {
				all = append(all, a.Spec().Name+"/"+rule.name+": "+v)
			}
		}
	}
	return all
}

// subject is one action under one rule.
type subject struct {
	tb         testing.TB
	registry   *actions.Registry
	action     actions.Action
	spec       actions.Spec
	harness    Harness
	env        actions.Env
	output     *checker
	violations []string
}

func newSubject(tb testing.TB, r *actions.Registry, a actions.Action, h *Harness) *subject {
	tb.Helper()
	s := &subject{tb: tb, registry: r, action: a, spec: a.Spec()}
	if h != nil {
		s.harness = *h
	}
	if s.harness.Env == nil {
		s.harness.Env = Env
	}
	if s.harness.Runs == 0 {
		s.harness.Runs = 200
	}
	s.env = s.harness.Env(tb, r)
	return s
}

// fail notes a violation; more than a handful say nothing new.
func (s *subject) fail(format string, args ...any) {
	const most = 5
	if len(s.violations) < most {
		s.violations = append(s.violations, fmt.Sprintf(format, args...))
	}
}

// runs tells whether the body may run with an input of the suite's own making.
func (s *subject) runs(input value.Value) bool {
	if s.spec.Effect != actions.Write || s.harness.Writes {
		return true
	}
	if input.IsNull() {
		input = value.Object()
	}
	input, err := value.Resolve(input, s.env.Secrets)
	return err != nil || len(s.action.Input().Check(input, static)) > 0
}

// static is the isDynamic of input that is already rendered.
func static(string) bool { return false }

// call runs the action, checks what holds for every outcome and returns the
// error.
func (s *subject) call(c actions.Call) error {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c.ID, c.Node, c.Action = "test/0", "test", s.spec.Name
	result, err := s.action.Handle(ctx, s.env, &c)
	if ctx.Err() != nil {
		s.fail("%s: not done after %s", short(c.Input), patience)
	}
	if err != nil {
		s.checkError(c.Input, err)
		return err
	}
	s.checkResult(c.Input, result.Output)
	return nil
}
