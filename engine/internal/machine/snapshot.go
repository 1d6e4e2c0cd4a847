package machine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/value"
)

// SnapshotVersion is the version of the format that Snapshot writes and the
// newest that Restore reads.
const SnapshotVersion = 1

// snapshot is the JSON form of a machine between two steps.
type snapshot struct {
	V      int         `json:"v"`
	Graph  string      `json:"graph"` // digest of the graph's sources
	Epoch  int         `json:"epoch"`
	Jumps  int         `json:"jumps"`
	State  value.Value `json:"state"`
	Frames []*frame    `json:"frames"` // by id
	Tasks  []pending   `json:"tasks"`
	Done   *savedDone  `json:"done,omitempty"`
}

// savedDone is the JSON form of Done without the state.
type savedDone struct {
	Output value.Value `json:"output"`
	Error  *savedError `json:"error,omitempty"`
}

// savedError keeps of an error what can be kept: its text and code.
type savedError struct {
	Node    string       `json:"node,omitempty"`
	ID      string       `json:"id,omitempty"`
	Code    actions.Code `json:"code"`
	Message string       `json:"message"`
}

// Snapshot returns the machine as versioned JSON. It is an error before Start.
func (m *Machine) Snapshot() ([]byte, error) {
	if !m.began {
		return nil, errors.New("machine: nothing to save before the start")
	}
	frames := slices.SortedFunc(maps.Values(m.frames), func(a, b *frame) int { return cmp.Compare(a.ID, b.ID) })
	return json.Marshal(snapshot{
		V: SnapshotVersion, Graph: m.graph.Digest, Epoch: m.epoch, Jumps: m.jumps,
		State: m.state.value, Frames: frames, Tasks: m.tasks, Done: save(m.done),
	})
}

func save(d *Done) *savedDone {
	if d == nil {
		return nil
	}
	out := &savedDone{Output: d.Output}
	if d.Err == nil {
		return out
	}
	out.Error = &savedError{Code: actions.CodeOf(d.Err), Message: d.Err.Error()}
	if failure := (*NodeError)(nil); errors.As(d.Err, &failure) {
		out.Error.Node, out.Error.ID, out.Error.Message = failure.Node, failure.ID, failure.Err.Error()
	}
	return out
}

// Restore returns the machine that Snapshot saved, and a step with its
// outstanding tasks, which are given out again under a new epoch: outcomes of
// the old one no longer count. It refuses a newer format, another graph, and
// data that no machine of g can have written.
func Restore(g *graph.Graph, data []byte) (*Machine, Step, error) {
	var s snapshot
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, Step{}, fmt.Errorf("machine: the snapshot cannot be read: %w", err)
	}
	if s.V > SnapshotVersion {
		return nil, Step{}, fmt.Errorf("machine: the snapshot has version %d; the newest known is %d", s.V, SnapshotVersion)
	}
	if s.Graph != g.Digest {
		return nil, Step{}, errors.New("machine: the snapshot is of another agent, or of another version of its file")
	}
	m := New(g)
	m.began, m.epoch, m.jumps, m.state = true, s.Epoch+1, s.Jumps, newState(g)
	if err := m.state.merge(s.State); err != nil {
		return nil, Step{}, fmt.Errorf("machine: the snapshot's state: %w", err)
	}
	if s.Done != nil {
		m.done = s.Done.restore(m.state.value)
		return m, Step{Done: m.done}, nil
	}
	if err := m.restoreFrames(s.Frames); err != nil {
		return nil, Step{}, err
	}
	return m, m.again(s.Tasks), m.checkTasks(s.Tasks)
}

func (d *savedDone) restore(state value.Value) *Done {
	done := &Done{State: state, Output: d.Output}
	if d.Error == nil {
		return done
	}
	done.Err = actions.Errorf(d.Error.Code, "%s", d.Error.Message)
	if d.Error.Node != "" {
		done.Err = &NodeError{Node: d.Error.Node, ID: d.Error.ID, Code: d.Error.Code, Err: done.Err}
	}
	return done
}

// errDamaged is what a snapshot is that no machine can have written.
var errDamaged = errors.New("machine: the snapshot is damaged: its frames do not fit the agent")

// restoreFrames puts the frames back, parents first: a parent's id is shorter.
func (m *Machine) restoreFrames(frames []*frame) error {
	slices.SortFunc(frames, func(a, b *frame) int { return cmp.Compare(len(a.ID), len(b.ID)) })
	for i, f := range frames {
		if f == nil || f.isRoot() != (i == 0) || m.frames[f.ID] != nil {
			return errDamaged
		}
		if parent := m.frames[f.Parent]; !f.isRoot() && (parent == nil || m.id(parent) != f.ID) {
			return errDamaged
		}
		m.frames[f.ID] = f
		if m.node(f) == nil || f.Iteration < 0 {
			return errDamaged
		}
	}
	return nil
}

// checkTasks makes sure that every task stands at a call, and that there is one.
func (m *Machine) checkTasks(tasks []pending) error {
	if len(tasks) == 0 || len(m.tasks) != len(tasks) {
		return errDamaged
	}
	return nil
}

// again gives the outstanding tasks out once more.
func (m *Machine) again(tasks []pending) Step {
	m.begin()
	for _, p := range tasks {
		f := m.frames[p.Frame]
		if f == nil || m.id(f) != p.ID {
			continue
		}
		if call, ok := m.node(f).Body.(*graph.Call); ok {
			m.give(f, call)
		}
	}
	return m.step()
}
