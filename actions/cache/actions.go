package cacheactions

import (
	"errors"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
)

// Actions returns the actions of the group cache.
func Actions() []actions.Action {
	return []actions.Action{wrap(), get(), invalidate()}
}

// of returns the agent's cache.
func of(env actions.Env) (*cache.Cache, error) {
	if env.Cache == nil {
		return nil, actions.Errorf(actions.CodeUnavailable, "this agent has no cache")
	}
	return env.Cache, nil
}

// coded gives an error of the cache the code that actions fail with. That of an
// action has one already.
func coded(err error) error {
	if action := (*actions.Error)(nil); errors.As(err, &action) {
		return err
	}
	for _, k := range []struct {
		kind error
		code actions.Code
	}{
		{cache.ErrSelector, actions.CodeInvalidInput},
		{cache.ErrMiss, actions.CodeNotFound},
		{cache.ErrStore, actions.CodeUnavailable},
		{cache.ErrNoMemory, actions.CodeUnavailable},
		{ltm.ErrInvalid, actions.CodeInvalidInput},
		{ltm.ErrReadOnly, actions.CodeDenied},
		{ltm.ErrNewer, actions.CodeUnsupported},
		{ltm.ErrUnavailable, actions.CodeUnavailable},
		{ltm.ErrClosed, actions.CodeUnavailable},
	} {
		if errors.Is(err, k.kind) {
			return &actions.Error{Code: k.code, Err: err}
		}
	}
	return err
}

// where says in which namespace to look, for get and invalidate.
type where struct {
	Namespace string `json:"namespace,omitempty" doc:"The namespace to look in, instead of the agent's own." example:"reports"`
	KeyPrefix bool   `json:"key_prefix" default:"true" doc:"False looks at the entries that were stored with key_prefix: false."`
}

// check refuses what contradicts itself.
func (w where) check() error {
	if w.Namespace != "" && !w.KeyPrefix {
		return actions.Errorf(actions.CodeInvalidInput, "namespace and key_prefix: false exclude each other")
	}
	return nil
}
