package agenttest

import (
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// Ending is how the name of a file of tests ends.
const Ending = ".test.yaml"

// Suite is a file of tests.
type Suite struct {
	File  string // as it was given
	Agent string // path of the agent's file
	Cases []Case
}

// Case is one test: a run, or several, and what is expected of the last.
type Case struct {
	Name string
	Pos  diag.Pos
	// Input is what the run starts with.
	Input value.Value
	// Cassette is the path of the recording that is replayed.
	Cassette string
	// Given tells that the file names the cassette; else it is the default.
	Given bool
	// Mocks are results by node.
	Mocks map[string]Mock
	// Env and Secrets are all that the run can read of either.
	Env, Secrets map[string]string
	// Runs is how often the agent runs on the same memory.
	Runs   int
	Expect Expect

	doc   *spec.Data // the whole file
	index string     // of the case in it
}

// place returns where a part of the case stands in the file.
func (c *Case) place(path ...string) diag.Pos {
	pos, _ := c.doc.Find(append([]string{"tests", c.index}, path...), false)
	return pos
}

// placeOfKey returns where the key at the end of a path stands.
func (c *Case) placeOfKey(path ...string) diag.Pos {
	pos, _ := c.doc.Find(append([]string{"tests", c.index}, path...), true)
	return pos
}

// Mock is what stands in for a node: its results, one for each time that the
// node works, the last of them for all further times.
type Mock []Outcome

// Outcome is a result, or an error.
type Outcome struct {
	Result value.Value   `json:"result,omitempty" doc:"What the node's action returns." example:"{\"content\": \"Hello\"}"`
	Error  *ExpectedCode `json:"error" doc:"How the node's action fails instead."`
}

// ExpectedCode is an error by its code and text.
type ExpectedCode struct {
	Code    string `json:"code" doc:"The error's code." default:"failed" example:"unavailable"`
	Message string `json:"message,omitempty" doc:"The error's text."`
}

// Expect is what must hold after a run. What is not said is not checked.
type Expect struct {
	State    value.Value    `json:"state,omitempty" doc:"Keys of the last state with their values; further keys may be there, inside of objects too."`
	Output   value.Value    `json:"output,omitempty" doc:"What the run returns, whole."`
	Path     []string       `json:"path,omitempty" doc:"The nodes that run, in order, each visit counted."`
	Assert   []string       `json:"assert,omitempty" doc:"Expressions over state and output that must be true." example:"[\"state.answer | length > 3\"]"`
	Cache    *ExpectedCache `json:"cache" doc:"What the cache did."`
	LLMCalls *int           `json:"llm_calls" doc:"How many calls really reached a model." min:"0"`
	Error    *ExpectedError `json:"error" doc:"How the run fails; without it, it must not."`
}

// ExpectedCache counts what the cache did.
type ExpectedCache struct {
	Hits   *int `json:"hits" doc:"Calls that it served." min:"0"`
	Misses *int `json:"misses" doc:"Calls that it looked up, and that had to run." min:"0"`
}

// ExpectedError is how a run fails.
type ExpectedError struct {
	Node    string `json:"node,omitempty" doc:"The node that fails."`
	Code    string `json:"code,omitempty" doc:"The error's code."`
	Message string `json:"message,omitempty" doc:"A part of the error's text."`
}

// file is how a file of tests is written.
type file struct {
	Agent   string            `json:"agent,omitempty" doc:"The agent's file, beside this one. Without it, the name of this file without .test."`
	Env     map[string]string `json:"env,omitempty" doc:"Environment variables for all cases; others are not set."`
	Secrets map[string]string `json:"secrets,omitempty" doc:"Values of the agent's secrets, for all cases."`
	Tests   []writtenCase     `json:"tests" doc:"The cases." min:"1"`
}

type writtenCase struct {
	Name     string                 `json:"name" doc:"What the case shows."`
	Input    map[string]value.Value `json:"input,omitempty" doc:"The input of the run."`
	Cassette string                 `json:"cassette,omitempty" doc:"The recording to replay, beside this file. Without it, cassettes/<agent>/<name>.yaml if there is one."`
	Mocks    map[string]value.Value `json:"mocks,omitempty" doc:"What stands in for nodes: a {result} or {error}, or a list of them, one for each visit."`
	Env      map[string]string      `json:"env,omitempty" doc:"Environment variables for this case."`
	Secrets  map[string]string      `json:"secrets,omitempty" doc:"Values of the agent's secrets."`
	Runs     int                    `json:"runs" default:"1" min:"1" max:"100" doc:"How often the agent runs, on the same memory; the last run counts."`
	Expect   Expect                 `json:"expect,omitempty" doc:"What must hold after the run."`
}
