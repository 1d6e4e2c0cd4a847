package machine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/machine"
	"github.com/tea-agents/tea/value"
)

func snapshot(t *testing.T, m *machine.Machine) []byte {
	t.Helper()
	data, err := m.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSnapshotOfAnEndedRun(t *testing.T) {
	t.Parallel()
	g := compile(t, agent("- {name: bad, uses: t.do}"))
	m := machine.New(g)
	step, err := m.Start(value.Object(value.M("x", value.Int(1))))
	if err != nil {
		t.Fatal(err)
	}
	m.Complete(step.Tasks[0].ID, step.Tasks[0].Epoch, failing(step.Tasks[0]))
	_, again, err := machine.Restore(g, snapshot(t, m))
	if err != nil {
		t.Fatal(err)
	}
	var failure *machine.NodeError
	if again.Done == nil || !errors.As(again.Done.Err, &failure) || failure.Node != "bad" ||
		actions.CodeOf(failure) != actions.CodeUnavailable || again.Done.State.String() != `{"x":1}` {
		t.Errorf("restored as %+v", again.Done)
	}
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	g := compile(t, agent("- {name: s, steps: [{name: a, uses: t.do}]}"))
	m := machine.New(g)
	if _, err := m.Snapshot(); err == nil {
		t.Error("a machine that has not begun was saved")
	}
	if _, err := m.Start(value.Object()); err != nil {
		t.Fatal(err)
	}
	good := string(snapshot(t, m))
	if _, _, err := machine.Restore(g, []byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"newer version": {`"v":1`, `"v":2`, "newest known is 1"},
		"other agent":   {`"graph":"`, `"graph":"0`, "another agent"},
		"no frames":     {`"frames":[{"id":""`, `"frames":[{"id":"x"`, "damaged"},
		"wrong place":   {`"pc":0`, `"pc":7`, "damaged"},
		"no such task":  {`"frame":"s"`, `"frame":"t"`, "damaged"},
		"cut":           {`}`, ``, "cannot be read"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Fatalf("%s: nothing to replace in %s", name, good)
		}
		if _, _, err := machine.Restore(g, []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

// FuzzRestore: no snapshot, however damaged, makes Restore panic.
func FuzzRestore(f *testing.F) {
	g := compile(f, agent(loop+"- {name: s, steps: [{name: x, uses: t.do}]}"))
	m := machine.New(g)
	step, err := m.Start(value.Object(value.M("n", value.Int(0))))
	if err != nil {
		f.Fatal(err)
	}
	for step.Done == nil {
		data, err := m.Snapshot()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		step = m.Complete(step.Tasks[0].ID, step.Tasks[0].Epoch, counter(step.Tasks[0]))
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		m, step, err := machine.Restore(g, data)
		if err != nil || step.Done != nil {
			return
		}
		for _, task := range step.Tasks {
			m.Complete(task.ID, task.Epoch, counter(task))
		}
	})
}
