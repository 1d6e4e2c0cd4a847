package engine_test

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

func TestMemoryThatCannotBe(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, func(o *engine.Options) {
		o.Memory, o.Open = nil, (&ltm.Mux{}).Lazy
	})
	// Whether the agent has any use for it does not matter.
	for _, node := range []string{"{name: a, uses: t.count, cache: true}", "{name: a, uses: t.echo}"} {
		a := load(t, e, "settings: {ltm: 'odd:x'}\nnodes: ["+node+"]")
		if _, err := e.Start(t.Context(), a, value.Null(), nil); engine.ExitCode(err) != 3 {
			t.Errorf("%s: error %v, want exit code 3", node, err)
		}
	}
}

// farMemory makes an engine's memory one whose store is opened by open, which
// may be called by one run at a time.
func farMemory(o *engine.Options, open func() (driver.Store, error)) {
	mux := &ltm.Mux{}
	mux.Handle("far", nil, func(*url.URL, *ltm.Options) (func(context.Context) (driver.Store, error), error) {
		return func(context.Context) (driver.Store, error) { return open() }, nil
	})
	o.Memory, o.LTM, o.Open = nil, "far://away", mux.Lazy
}

func TestMemoryOpensOnFirstUse(t *testing.T) {
	t.Parallel()
	opened := 0
	e, _ := newEngine(t, func(o *engine.Options) {
		farMemory(o, func() (driver.Store, error) {
			opened++
			return memltm.New(), nil
		})
	})
	for _, tt := range []struct {
		nodes string
		want  int
	}{
		{"- {name: a, uses: t.echo}", 0},
		{"- {name: a, uses: t.count}", 0},
		{"- {name: a, uses: t.count, cache: false}", 0},
		{"- {name: a, uses: t.count, cache: true, if: 'false'}", 0},
		{"- {name: a, uses: t.count, cache: true}", 1},
		{"- {name: a, uses: t.remember, with: {in: 1}}", 1},
	} {
		if o := run(t, e, tt.nodes, nil); o.err != nil || opened != tt.want {
			t.Errorf("%s: opened %d times, want %d; error %v", tt.nodes, opened, tt.want, o.err)
		}
	}
}

func TestMemoryThatTurnsOutNotToBe(t *testing.T) {
	t.Parallel()
	e, calls := newEngine(t, func(o *engine.Options) {
		farMemory(o, func() (driver.Store, error) {
			return nil, fmt.Errorf("%w: no such database", driver.ErrConfig)
		})
	})
	for _, node := range []string{
		"- {name: a, uses: t.count, cache: true}",
		"- {name: a, uses: t.count, cache: write}",
		"- {name: a, uses: t.remember, with: {in: 1}}",
	} {
		for range 4 { // more often than the cache tries a store that fails
			if o := run(t, e, node, nil); engine.ExitCode(o.err) != 3 || !strings.Contains(o.err.Error(), "no such database") {
				t.Errorf("%s: error %v, want exit code 3 and the reason", node, o.err)
			}
		}
	}
	if calls.Load() != 0 {
		t.Errorf("ran %d times", calls.Load())
	}
}

func TestMemoryOutOfReach(t *testing.T) {
	t.Parallel()
	e, calls := newEngine(t, func(o *engine.Options) {
		farMemory(o, func() (driver.Store, error) { return nil, io.ErrUnexpectedEOF })
	})
	for range 2 {
		if o := run(t, e, "- {name: a, uses: t.count, cache: true}", nil); o.err != nil {
			t.Errorf("the cache failed the action: %v", o.err)
		}
	}
	if calls.Load() != 2 {
		t.Errorf("ran %d times, want 2", calls.Load())
	}
	o := run(t, e, "- {name: a, uses: t.remember, with: {in: 1}}", nil)
	if o.err == nil || !strings.Contains(o.err.Error(), "unexpected EOF") {
		t.Errorf("an ltm action: error %v, want the reason", o.err)
	}
}
