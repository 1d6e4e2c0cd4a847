package memoryactions_test

import (
	"testing"

	"github.com/tea-agents/tea/actions"
	memoryactions "github.com/tea-agents/tea/actions/memory"
	"github.com/tea-agents/tea/internal/grouptest"
)

func TestStoreAndRetrieve(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.Yields("memory.retrieve", `{"key": "k"}`, `{"found":false,"success":true,"value":null}`)
	a.Yields("memory.store", `{"key": "k", "value": [1, null]}`, `{"created":true,"key":"k","stored":true,"success":true}`)
	a.Yields("memory.retrieve", `{"key": "k", "default": 2}`, `{"found":true,"success":true,"value":[1,null]}`)
	a.Yields("memory.store", `{"key": "k", "value": null}`, `{"created":false,"key":"k","stored":true,"success":true}`)
	a.Yields("memory.retrieve", `{"key": "k", "default": 2}`, `{"found":true,"success":true,"value":null}`)
	a.Fails("memory.store", `{"key": "", "value": 1}`, actions.CodeInvalidInput, "key")

	newAgent(t, nil).Yields("memory.retrieve", `{"key": "k"}`, `{"found":false,"success":true,"value":null}`) // another run
}

func newAgent(t *testing.T, change func(*actions.Env)) *grouptest.Agent {
	t.Helper()
	return grouptest.New(t, memoryactions.Actions(), change)
}
