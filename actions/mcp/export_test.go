package mcpactions

import "github.com/tea-agents/tea/actions"

// Runner is what the tests start servers with.
type Runner = runner

// ActionsWith returns the actions for environments that let programs run.
func ActionsWith(run Runner) []actions.Action {
	return group(func(actions.Env) runner { return run })
}
