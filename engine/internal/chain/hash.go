package chain

import (
	"context"
	"strconv"
	"sync/atomic"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// Hasher hashes files by storage.hash calls of their own, so that they are
// observed and recorded like any other call. It is safe for concurrent use.
type Hasher struct {
	handler  actions.Handler
	node, id string
	ordinal  atomic.Int64
}

// NewHasher returns a hasher for a node, whose calls through h have ids under
// the given one.
func NewHasher(h actions.Handler, node, id string) *Hasher {
	return &Hasher{handler: h, node: node, id: id}
}

// Hash returns the SHA-256 of the file at uri in hex.
func (h *Hasher) Hash(ctx context.Context, uri string) (string, error) {
	sum, _, err := h.hash(ctx, uri)
	return sum, err
}

func (h *Hasher) hash(ctx context.Context, uri string) (sum string, size int64, err error) {
	r, err := h.handler(ctx, &actions.Call{
		ID:     h.id + "/" + strconv.FormatInt(h.ordinal.Add(1), 10),
		Node:   h.node,
		Action: "storage.hash",
		Input:  value.Object(value.M("path", value.String(uri))),
	})
	if err != nil {
		return "", 0, err
	}
	size, _ = r.Output.At("size_bytes").AsInt()
	return r.Output.At("hash").Text(), size, nil
}
