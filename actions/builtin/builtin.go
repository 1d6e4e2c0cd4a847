package builtin

import (
	"slices"

	"github.com/tea-agents/tea/actions"
	cacheactions "github.com/tea-agents/tea/actions/cache"
	csvactions "github.com/tea-agents/tea/actions/csv"
	dataactions "github.com/tea-agents/tea/actions/data"
	httpactions "github.com/tea-agents/tea/actions/http"
	jsonactions "github.com/tea-agents/tea/actions/json"
	llamaextractactions "github.com/tea-agents/tea/actions/llamaextract"
	llmactions "github.com/tea-agents/tea/actions/llm"
	ltmactions "github.com/tea-agents/tea/actions/ltm"
	mcpactions "github.com/tea-agents/tea/actions/mcp"
	memoryactions "github.com/tea-agents/tea/actions/memory"
	runactions "github.com/tea-agents/tea/actions/run"
	storageactions "github.com/tea-agents/tea/actions/storage"
	utilactions "github.com/tea-agents/tea/actions/util"
	webactions "github.com/tea-agents/tea/actions/web"
)

// Actions returns all actions that ship.
func Actions() []actions.Action {
	return slices.Concat(
		cacheactions.Actions(),
		csvactions.Actions(),
		dataactions.Actions(),
		httpactions.Actions(),
		jsonactions.Actions(),
		llamaextractactions.Actions(),
		llmactions.Actions(),
		ltmactions.Actions(),
		mcpactions.Actions(),
		memoryactions.Actions(),
		runactions.Actions(),
		storageactions.Actions(),
		utilactions.Actions(),
		webactions.Actions(),
	)
}
