package driver

import (
	"cmp"
	"fmt"
)

// Space keeps kinds of records apart. Keys of different spaces never meet.
type Space uint8

// The spaces. Their numbers are part of every store's format.
const (
	User  Space = 0 // what agents remember
	Cache Space = 1 // cached results of calls
	Lease Space = 2 // who is at work on what
	Run   Space = 3 // the state of runs
	LLM   Space = 4 // the answers of models
	Meta  Space = 5 // what layers note about the store itself
	Near  Space = 6 // copies of what another store holds
)

// String names the space.
func (s Space) String() string {
	switch s {
	case User:
		return "user"
	case Cache:
		return "cache"
	case Lease:
		return "lease"
	case Run:
		return "run"
	case LLM:
		return "llm"
	case Meta:
		return "meta"
	case Near:
		return "near"
	default:
		return fmt.Sprintf("space %d", uint8(s))
	}
}

// Key identifies a record. Namespace may be empty, Key is not; both are valid
// UTF-8 of any characters, NUL included, and up to 64 KiB each.
type Key struct {
	Space     Space
	Namespace string
	Key       string
}

// Compare orders keys by space, then by the bytes of namespace and key.
func (k Key) Compare(l Key) int {
	return cmp.Or(
		cmp.Compare(k.Space, l.Space),
		cmp.Compare(k.Namespace, l.Namespace),
		cmp.Compare(k.Key, l.Key),
	)
}
