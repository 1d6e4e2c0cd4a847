package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/tea-agents/tea/value"
)

// hashes makes the digests in keys. It writes every call's canonical form into
// a buffer that an earlier one has left. The zero hashes is ready.
type hashes struct {
	buffers sync.Pool // of *[]byte
}

// keptBuffer is the size up to which a buffer is kept.
const keptBuffer = 1 << 20

// sum returns the SHA-256 of the canonical form of v, in hex.
func (h *hashes) sum(v value.Value) (string, error) {
	if err := v.Check(); err != nil {
		return "", err
	}
	buffer, ok := h.buffers.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
	}
	*buffer = v.AppendJSON((*buffer)[:0])
	sum := sha256.Sum256(*buffer)
	if cap(*buffer) <= keptBuffer {
		h.buffers.Put(buffer)
	}
	return hex.EncodeToString(sum[:]), nil
}
