package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tea-agents/tea/engine/internal/graph"
)

// drawn shows the ways of a graph: "entry: a", "a -[state.x]-> b".
func drawn(g *graph.Graph) string {
	name := func(i int) string {
		if i == graph.End {
			return "end"
		}
		return g.Nodes[i].Name
	}
	lines := []string{"entry " + name(g.Entry)}
	for _, n := range g.Nodes {
		for _, r := range n.Routes {
			arrow := "->"
			if r.When != nil {
				arrow = fmt.Sprintf("-[%s]->", r.When.Source())
			}
			lines = append(lines, n.Name+" "+arrow+" "+name(r.To))
		}
		if e := n.OnError; e != nil && e.HasGoto {
			lines = append(lines, n.Name+" -error-> "+name(e.Goto))
		}
	}
	return strings.Join(lines, "\n")
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	node := func(name, more string) string { return "  - {name: " + name + ", run: 'x = 1'" + more + "}\n" }
	tests := []struct{ name, src, want string }{
		{"a list runs in its order", "nodes:\n" + node("a", "") + node("b", ""), `
entry a
a -> b
b -> end`},
		{"goto counts before edges, edges before the order", "nodes:\n" + node("a", ", goto: c") + node("b", "") + node("c", "") +
			"edges: [{from: a, to: b}, {from: b, to: __end__}, {from: c, to: b}]\n", `
entry a
a -> c
b -> end
c -> b`},
		{"rules keep their order", "nodes:\n" + node("a", ", goto: [{if: state.x, to: a}, {if: 'state.y > 1', to: b}, {to: __end__}]") + node("b", ""), `
entry a
a -[state.x]-> a
a -[state.y > 1]-> b
a -> end
b -> end`},
		{"true is no condition", "nodes:\n" + node("a", ", goto: [{if: state.x, to: a}, {if: true, to: b}]") + node("b", ""), `
entry a
a -[state.x]-> a
a -> b
b -> end`},
		{"conditional edges", "nodes:\n" + node("a", "") + node("b", "") +
			"edges: [{from: a, to: __end__, when: '{{ state.x }}'}, {from: a, to: b}]\n", `
entry a
a -[{{ state.x }}]-> end
a -> b
b -> end`},
		{"an edge chooses the start", "nodes:\n" + node("a", "") + node("b", ", goto: a") + "edges: [{from: __start__, to: b}, {from: a, to: __end__}]\n", `
entry b
a -> end
b -> a`},
		{"conditions choose the start", "nodes:\n" + node("a", "") + node("b", "") +
			"edges: [{from: __start__, to: b, condition: state.x}, {from: __start__, to: a}]\n", `
entry __start__
a -> b
b -> end
__start__ -[state.x]-> b
__start__ -> a`},
		{"errors jump", "nodes:\n" + node("a", ", on_error: {goto: b}") + node("b", ", on_error: {fallback: __end__}"), `
entry a
a -> b
a -error-> b
b -> end
b -error-> end`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, want := drawn(mustLoad(t, tt.src)), strings.TrimSpace(tt.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestGraph(t *testing.T) {
	t.Parallel()
	g := mustLoad(t, `
version: 1.0
variables: {big: 123456789012345678901234567890, day: 2024-01-02, on: yes}
initial_state: {n: 0}
secrets: [B, A]
settings:
  ltm: {backend: sqlite, path: "a?b.db"}
  cache: 30d
  limits: {max_steps: "${STEPS}", run_timeout: "${NOT_SET:-90}", max_state_bytes: 5}
  env: [HOME, NOT_SET]
nodes:
  - name: a
    steps:
      - run: x = 1
      - name: inner
        type: while_loop
        condition: state.n < 3
        max_iterations: 1000
        body: [{run: y = 1}]
`)
	for what, pair := range map[string][2]string{
		"variables":  {g.Variables.String(), `{"big":123456789012345678901234567890,"day":"2024-01-02","on":"yes"}`},
		"initial":    {g.Initial.String(), `{"n":0}`},
		"env":        {g.Environ.String(), `{"HOME":"/home/ann"}`},
		"secrets":    {fmt.Sprint(g.Secrets), `[A B]`},
		"ltm":        {g.Settings.LTM, `sqlite:a%3Fb.db`},
		"cache":      {g.Settings.Cache.String(), `{"ttl":"30d"}`},
		"limits":     {fmt.Sprint(g.Settings.Limits), `{50 1m30s 5}`},
		"name":       {g.Name, `a`},
		"namespace":  {g.Namespace, `a-a42a65b8`},
		"inner name": {g.Nodes[0].Body.(*graph.Steps).Nodes[0].Name, `a[0]`},
		"loop name":  {g.Nodes[0].Body.(*graph.Steps).Nodes[1].Body.(*graph.Loop).Body[0].Name, `inner[0]`},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %s, want %s", what, pair[0], pair[1])
		}
	}
}
