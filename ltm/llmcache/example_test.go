package llmcache_test

import (
	"context"
	"fmt"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// A call of any client is paid once: its identity is whatever makes the answer
// what it is.
func ExampleCache_Wrap() {
	ctx := context.Background()
	mem := ltm.New(memltm.New(), nil) // or builtin.Mux().Open(ctx, "sqlite:llm.db", nil)
	defer mem.Close()
	c := llmcache.New(mem, nil)
	defer c.Close()

	ask := func(context.Context) (llmcache.Response, error) {
		fmt.Println("asking the model")
		return llmcache.Response{
			Result: value.Object(value.M("content", value.String("Buenos días"))),
			Raw:    []byte(`{"choices":[{"message":{"content":"Buenos días"}}]}`),
		}, nil
	}
	req := llmcache.Request{
		Provider: "openai", Model: "gpt-4o",
		Identity: value.Must(map[string]any{
			"model": "gpt-4o", "temperature": 0, "prompt": "Translate to Spanish: good morning",
		}),
	}
	for range 2 {
		answer, outcome, err := c.Wrap(ctx, req, llmcache.Both, ask)
		fmt.Println(outcome.Status, answer.Result.At("content"), err)
	}
	// Output:
	// asking the model
	// miss "Buenos días" <nil>
	// hit "Buenos días" <nil>
}

// Two requests that differ only in the order of their keys are one.
func ExampleKey() {
	a, _ := llmcache.Key(value.Must(map[string]any{"model": "gpt-4o", "seed": 7}))
	parsed, _ := value.Parse([]byte(`{"seed": 7, "model": "gpt-4o"}`))
	b, _ := llmcache.Key(parsed)
	fmt.Println(a == b, len(a))
	// Output: true 64
}

// What nobody asked for in three months goes.
func ExampleCache_Evict() {
	ctx := context.Background()
	mem := ltm.New(memltm.New(), nil)
	defer mem.Close()
	c := llmcache.New(mem, nil)
	defer c.Close()

	gone, err := c.Evict(ctx, llmcache.EvictOptions{Unhit: true, DryRun: true})
	fmt.Println(gone.Entries, err)
	// Output: 0 <nil>
}
