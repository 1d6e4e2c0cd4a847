package cache

import (
	"context"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// Request is a call that may be cached.
type Request struct {
	// Action is the canonical name of the action, Version that of its Spec.
	Action  string
	Version int
	// Args is the input of the action after decoding, defaults included: an
	// object. It may hold secrets.
	Args value.Value
	// Namespace is the agent's own, see DefaultNamespace.
	Namespace string
	// AgentID tells apart agents that have no name of their own; "" for those
	// that have one. It only counts in the agent's own namespace.
	AgentID string
	// Secret returns the text of a secret. Nil: a call with secrets has no key.
	Secret func(name string) (string, error)
	// HashFile streams a file through SHA-256, StatFile tells cheaply whether
	// it is still the same: then it returns an equal stamp. Nil: without
	// HashFile the strategy file_content finds no key, without StatFile the
	// file is hashed once more before the result is stored.
	HashFile func(ctx context.Context, uri string) (FileHash, error)
	StatFile func(ctx context.Context, uri string) (stamp string, err error)
	// Cost tells what a result cost, if that is known. Nil: it is not.
	Cost func(result value.Value) (float64, bool)
	// Code returns the code of an error of the call; see actions.CodeOf. Nil: no
	// failure is stored.
	Code func(err error) string
	// Quota bounds all entries of the cache together. It is enforced in the
	// background after a result was stored, the least recently used entries
	// first. The zero Quota bounds nothing.
	Quota ltm.Quota
	// Warnings are those of the run that the call belongs to. Nil: the Cache
	// warns once for all such calls.
	Warnings *Warnings
}

// FileHash is what HashFile found out.
type FileHash struct {
	Hash  string // SHA-256 in hex
	Size  int64
	Stamp string // changes when the file does; see Request.StatFile
}
