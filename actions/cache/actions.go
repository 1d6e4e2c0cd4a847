package cacheactions

import (
	"github.com/tea-agents/tea/actions"
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
