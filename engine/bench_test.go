package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	cacheactions "github.com/tea-agents/tea/actions/cache"
	runactions "github.com/tea-agents/tea/actions/run"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/value"
)

// benchmark measures whole runs of an agent, start to end, events included.
func benchmark(b *testing.B, url, yaml string) {
	b.Helper()
	var calls atomic.Int64
	memory, err := builtin.Mux().Open(b.Context(), url, nil)
	if err != nil {
		b.Fatal(err)
	}
	e, err := engine.New(&engine.Options{
		Actions: append(append(testActions(&calls), cacheactions.Actions()...), runactions.Actions()...), Memory: memory,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(e.Close(), memory.Close()); err != nil {
			b.Error(err)
		}
	})
	a := load(b, e, yaml)
	input := value.Must(map[string]any{"n": 1})
	for b.Loop() {
		r, err := e.Start(context.Background(), a, input, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}

const wrapped = `
- name: a
  uses: cache.wrap
  with: {action: t.count, args: {in: "{{ state.n }}"}}
  output: r
`

func BenchmarkNoopNode(b *testing.B) {
	benchmark(b, "mem:", "- {name: a, uses: t.echo}")
}

func BenchmarkRunNode(b *testing.B) {
	benchmark(b, "mem:", "- name: a\n  run: |\n    return {\"n\": state[\"n\"] + 1}")
}

func BenchmarkHundredNodes(b *testing.B) {
	benchmark(b, "mem:", "- {name: a, type: while_loop, condition: true, max_iterations: 100, body: [{name: b, uses: t.echo}]}")
}

func BenchmarkHitFromMemory(b *testing.B) { benchmark(b, "mem:", wrapped) }

func BenchmarkHitFromSQLite(b *testing.B) {
	benchmark(b, filepath.Join(b.TempDir(), "bench.db"), wrapped)
}
