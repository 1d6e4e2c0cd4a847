package llamaextractactions

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/rest"
	"github.com/tea-agents/tea/value"
)

// Actions returns the actions of the group llamaextract.
func Actions() []actions.Action {
	return []actions.Action{extract()}
}

type extractInput struct {
	File         string        `json:"file,omitempty" doc:"The document: a path or any URI that storage.read takes." example:"reports/q1.pdf"`
	Text         *string       `json:"text,omitempty" doc:"The document as text, instead of file."`
	AgentName    string        `json:"agent_name,omitempty" doc:"Name of the extraction agent at LlamaCloud."`
	AgentID      string        `json:"agent_id,omitempty" doc:"ID of the extraction agent, instead of agent_name."`
	Schema       *value.Value  `json:"schema,omitempty" doc:"JSON Schema of the data: instead of the agent's, or without any agent."`
	Mode         string        `json:"mode,omitempty" doc:"How much effort goes into it: instead of the agent's, or without any agent." enum:"FAST,BALANCED,MULTIMODAL,PREMIUM"`
	ProjectID    string        `json:"project_id,omitempty" doc:"LlamaCloud project; without it the key's own."`
	BaseURL      string        `json:"base_url" doc:"Where LlamaCloud's API is, such as https://api.cloud.eu.llamaindex.ai." default:"https://api.cloud.llamaindex.ai"`
	APIKey       string        `json:"api_key,omitempty" doc:"The key; without it that of the environment."`
	PollInterval time.Duration `json:"poll_interval" doc:"How long to wait before asking again whether the job is done." default:"2s" min:"1ms"`
	Timeout      time.Duration `json:"timeout" doc:"Bound of the whole extraction." default:"10m" min:"1ms"`
	MaxBytes     int64         `json:"max_bytes" doc:"A larger document is a failure (too_large)." default:"104857600" min:"0"`
}

type extractOutput struct {
	Data      value.Value  `json:"data" doc:"What was extracted, as the schema says."`
	Metadata  *value.Value `json:"extraction_metadata,omitempty" doc:"What LlamaCloud tells about it, such as citations and usage."`
	JobID     string       `json:"job_id" doc:"The extraction job."`
	Status    string       `json:"status" doc:"How the job ended: SUCCESS, or PARTIAL_SUCCESS where parts of the document failed."`
	AgentName string       `json:"agent_name" doc:"The extraction agent that did it; empty for none."`
}

const extractDoc = "The document is uploaded, an extraction job is run on it by an extraction agent (`agent_name` or `agent_id`), and its " +
	"result is waited for. With a `schema` no agent is needed. With neither, the agent is the project's only one.\n\n" +
	"The key is `api_key`, else the environment variable `LLAMAEXTRACT_API_KEY` or `LLAMA_CLOUD_API_KEY`. A key of the environment is " +
	"sent to LlamaCloud and to this machine only; another `base_url` needs an `api_key`.\n\n" +
	"Extraction costs time and money: wrap it in `cache.wrap` or use the node's `cache`. While a job runs, a service that does not " +
	"answer is asked again until the timeout; anywhere else it fails as `unavailable`. A job that fails is `failed`."

func extract() actions.Action {
	return actions.Define(actions.Spec{
		Name: "llamaextract.extract", Version: 1, Effect: actions.Read, Outward: true,
		Summary: "Extracts structured data from a document with LlamaCloud's LlamaExtract.", Doc: extractDoc,
		Examples: []actions.Example{
			{
				Title: "Extract each document once, whatever its name",
				YAML: `- name: extract
  uses: cache.wrap
  with:
    action: llamaextract.extract
    key_strategy: file_content
    key_source: file
    ttl_days: 60
    args: {file: "{{ state.file_path }}", agent_name: invoices}
  output: extraction_result
- name: fresh
  uses: llamaextract.extract
  with: {file: "{{ state.file_path }}", agent_name: invoices}
  output: fresh_result`,
			},
			{
				Title: "Extract by a schema, without an agent",
				YAML: `- name: extract
  uses: llamaextract.extract
  with:
    file: "{{ state.file_path }}"
    schema:
      type: object
      properties: {total: {type: number}, vendor: {type: string}}
  output: invoice`,
			},
		},
	}, run)
}

func run(ctx context.Context, env actions.Env, in extractInput) (extractOutput, error) {
	if err := check(in); err != nil {
		return extractOutput{}, err
	}
	key, err := rest.Login{
		Name: name, Given: in.APIKey, Base: in.BaseURL, Host: "llamaindex.ai",
		Variables: []string{"LLAMAEXTRACT_API_KEY", "LLAMA_CLOUD_API_KEY"},
	}.Key(env.Credential)
	if err != nil {
		return extractOutput{}, err
	}
	ctx, cancel := rest.Within(ctx, in.Timeout, name)
	defer cancel()
	c := &cloud{project: url.Values{}, env: env, service: &rest.Service{
		Name: name, Base: in.BaseURL, Header: http.Header{"Authorization": {"Bearer " + key}},
		Hidden: []string{key}, MaxBytes: 64 << 20, HTTP: env.HTTP, Clock: env.Clock,
	}}
	if in.ProjectID != "" {
		c.project.Set("project_id", in.ProjectID)
	}
	return c.extract(ctx, in)
}

// name is what messages call the service.
const name = "LlamaCloud"

// check says what is wrong with the input as a whole.
func check(in extractInput) error {
	if (in.File == "") == (in.Text == nil) {
		return actions.Errorf(actions.CodeInvalidInput, "give a document: one of file and text")
	}
	if in.AgentName != "" && in.AgentID != "" {
		return actions.Errorf(actions.CodeInvalidInput, "give only one of agent_name and agent_id")
	}
	if in.Schema != nil && in.Schema.Kind() != value.KindObject {
		return actions.Errorf(actions.CodeInvalidInput, "schema: a %s is no JSON Schema of an object", in.Schema.Kind())
	}
	_, err := rest.Address("base_url", in.BaseURL)
	return err
}
