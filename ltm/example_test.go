package ltm_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/value"
)

func Example() {
	ctx := context.Background()
	m, err := builtin.Mux().Open(ctx, "mem://", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()

	created, err := m.Put(ctx, "city", value.String("Lisbon"), &ltm.PutOptions{
		Metadata: value.Object(value.M("source", value.String("user"))),
		TTL:      24 * time.Hour,
	})
	fmt.Println(created, err)

	page, err := m.Search(ctx, ltm.Query{
		Text:     "lisbon",
		Metadata: []ltm.Filter{{Path: []string{"source"}, Value: value.String("user")}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range page.Entries {
		fmt.Println(e.Key, e.Value)
	}
	// Output:
	// true <nil>
	// city "Lisbon"
}

func ExampleMux_Open() {
	_, err := builtin.Mux().Open(context.Background(), "sqlite:agent.db?synchronus=full", nil)
	fmt.Println(err)
	// Output:
	// ltm: open in sqlite:agent.db?synchronus=full: bad memory configuration: unknown parameter "synchronus", did you mean "synchronous"?; sqlite takes busy_timeout, encrypt, encrypt_metadata, max_staleness, memory, namespace, near, readonly, synchronous
}
