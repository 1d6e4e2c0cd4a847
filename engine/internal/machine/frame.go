package machine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/value"
)

// frame is a list of nodes under way. It holds data only: the list itself is
// found through the graph (see Machine.list).
type frame struct {
	ID        string      `json:"id"`               // id of the node that the frame belongs to; "" for the root
	Parent    string      `json:"parent"`           // id of the frame that holds that node
	PC        int         `json:"pc"`               // place in the list; graph.End or the list's length: through
	Iteration int         `json:"iteration"`        // of a loop, from 1; 0 for other frames
	Visits    map[int]int `json:"visits,omitempty"` // how often each node of the root was entered
	Last      value.Value `json:"last"`             // result of the last inner node of a steps frame
}

// isRoot tells whether f runs the graph's own nodes.
func (f *frame) isRoot() bool { return f.ID == "" }

// list returns the nodes that f runs.
func (m *Machine) list(f *frame) []*graph.Node {
	if f.isRoot() {
		return m.graph.Nodes
	}
	switch body := m.owner(f).Body.(type) {
	case *graph.Steps:
		return body.Nodes
	case *graph.Loop:
		return body.Body
	default:
		return nil
	}
}

// owner returns the node that f belongs to.
func (m *Machine) owner(f *frame) *graph.Node {
	parent := m.frames[f.Parent]
	return m.list(parent)[parent.PC]
}

// node returns the node that f stands at, or nil when f is through.
func (m *Machine) node(f *frame) *graph.Node {
	list := m.list(f)
	if f.PC < 0 || f.PC >= len(list) {
		return nil
	}
	return list[f.PC]
}

// visit counts that the root enters its node once more.
func (f *frame) visit() {
	if !f.isRoot() {
		return
	}
	if f.Visits == nil {
		f.Visits = map[int]int{}
	}
	f.Visits[f.PC]++
}

// id returns the path of the node that f stands at.
func (m *Machine) id(f *frame) string {
	var b strings.Builder
	if !f.isRoot() {
		b.WriteString(f.ID)
		if f.Iteration > 0 {
			b.WriteString(":" + strconv.Itoa(f.Iteration))
		}
		b.WriteByte('/')
	}
	b.WriteString(escape(m.node(f).Name))
	if n := f.Visits[f.PC]; n > 1 {
		b.WriteString("@" + strconv.Itoa(n))
	}
	return b.String()
}

// escape keeps a node's name from imitating the other parts of an id.
func escape(name string) string {
	const parts = "%/@:"
	if !strings.ContainsAny(name, parts) {
		return name
	}
	var b strings.Builder
	for _, c := range []byte(name) {
		if strings.IndexByte(parts, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// call names the node that f stands at in events.
func (m *Machine) call(f *frame) event.Call {
	return event.Call{Node: m.node(f).Name, ID: m.id(f)}
}

// keep remembers the last result of a steps frame: it is the result of the
// steps node.
func (f *frame) keep(result value.Value) {
	if !f.isRoot() && f.Iteration == 0 {
		f.Last = result
	}
}

// push opens the frame of the node that f stands at.
func (m *Machine) push(f *frame) *frame {
	child := &frame{ID: m.id(f), Parent: f.ID}
	m.frames[child.ID] = child
	return child
}

// pop closes f and returns its parent.
func (m *Machine) pop(f *frame) *frame {
	delete(m.frames, f.ID)
	return m.frames[f.Parent]
}
