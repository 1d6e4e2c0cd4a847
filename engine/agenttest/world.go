package agenttest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// ownMemory is where every case's memory is: it begins empty and goes with the
// engine.
const ownMemory = "mem://"

// options are those of the engine that runs the case: what the program around
// brings, in a world of the case's own. To record, the program's environment
// stands behind it, for the keys and addresses of services.
func (c *Case) options(outer Options) *engine.Options {
	o := outer.Engine
	o.Memory, o.LTM, o.DefaultLTM = nil, ownMemory, ""
	o.DefaultCache, o.DefaultLLMCache = "", ""
	around := o.Getenv
	if around == nil {
		around = os.LookupEnv
	}
	o.Getenv = func(name string) (string, bool) {
		text, ok := c.Env[name]
		if !ok && outer.Mode != cassette.Replay {
			return around(name)
		}
		return text, ok
	}
	o.Secrets = func(name string) (string, error) {
		text, ok := c.Secrets[name]
		if !ok {
			return "", actions.Errorf(actions.CodeCredentialMissing,
				"the test has no secret %s; give it a value under `secrets:`", name)
		}
		return text, nil
	}
	return &o
}

// session begins to use the case's cassette, nil when it has none.
func (c *Case) session(s *Suite, o Options) (*cassette.Session, error) {
	if !c.Given && o.Mode == cassette.Replay {
		if _, err := os.Stat(c.Cassette); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	return cassette.New(c.Cassette, &cassette.Options{
		Mode: o.Mode, Suite: s.File, Test: c.Name, Prune: true, Now: o.Now,
		RecordCommand: "tea test --record " + s.File,
	})
}

// mocks are what stands in for calls in the runs of a case.
type mocks struct {
	c       *Case
	outward map[string]bool // actions that speak to the network
	closed  bool            // whether there is no cassette to ask for those

	mu   sync.Mutex
	seen map[string]int // how often each mock was asked
}

// answer finds what stands in for a call: the mock of its node, or of this
// action in it.
func (m *mocks) answer(call *actions.Call, inner bool) func(context.Context) (value.Value, error) {
	name := call.Node
	if inner {
		name += "/" + call.Action
	}
	if outcomes, ok := m.c.Mocks[name]; ok {
		return func(context.Context) (value.Value, error) { return m.next(name, outcomes) }
	}
	if !m.closed || !m.outward[call.Action] {
		return nil
	}
	return func(context.Context) (value.Value, error) {
		return value.Null(), actions.Errorf(actions.CodeReplayMiss,
			"the node %s calls %s, which is neither mocked nor on a cassette: mock it, or record it with --record", call.Node, call.Action)
	}
}

// next is the outcome of a mock that is asked once more.
func (m *mocks) next(name string, outcomes Mock) (value.Value, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := min(m.seen[name], len(outcomes)-1)
	m.seen[name]++
	if failure := outcomes[n].Error; failure != nil {
		return value.Null(), actions.Errorf(actions.Code(failure.Code), "%s", failure.Message)
	}
	return outcomes[n].Result, nil
}

// outward returns the names of the actions that speak to the network by
// themselves.
func outward(all []actions.Action) map[string]bool {
	names := map[string]bool{}
	for _, a := range all {
		if s := a.Spec(); s.Outward && s.Effect != actions.Compose {
			names[s.Name] = true
		}
	}
	return names
}

// known finds out whether the agent has a node that the case speaks of.
func (c *Case) known(diags *diag.List, nodes []string, name string, pos diag.Pos) {
	if name, _, _ = strings.Cut(name, "/"); !slices.Contains(nodes, name) {
		diags.Add(pos, "unknown_node", "the agent has no node %q", name).Hint = diag.DidYouMean(name, nodes)
	}
}
