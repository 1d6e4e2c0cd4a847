package cache_test

import (
	"context"
	"fmt"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

func ExampleCache_Do() {
	ctx := context.Background()
	mem := ltm.New(memltm.New(), nil)
	defer mem.Close()
	c := cache.New(mem, nil)
	defer c.Close()

	call := cache.Request{
		Action: "text.upper", Version: 1, Namespace: "example",
		Args: value.Object(value.M("text", value.String("tea"))),
	}
	policy := cache.Policy{Mode: cache.Both, TTL: cache.DefaultTTL}
	for range 2 {
		result, outcome, err := c.Do(ctx, call, policy, func(context.Context) (value.Value, error) {
			fmt.Println("at work")
			return value.String("TEA"), nil
		})
		fmt.Println(result, outcome.Status, err)
	}
	// Output:
	// at work
	// "TEA" miss <nil>
	// "TEA" hit <nil>
}

func ExampleReadKey() {
	known := func(action string) bool { return action == "http.get" }
	fmt.Println(cache.ReadKey("search:tea", "me", known))
	fmt.Println(cache.ReadKey("cache:search:tea", "me", known))
	fmt.Println(cache.ReadKey("cache:me:http.get:5f2a", "me", known))
	fmt.Println(cache.ReadKey("cache:other:http.get:5f2a", "me", known))
	// Output:
	// cache:me:custom:search%3Atea
	// cache:me:custom:search%3Atea
	// cache:me:http.get:5f2a
	// cache:me:custom:other%3Ahttp.get%3A5f2a
}
