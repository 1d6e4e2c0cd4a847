package llmactions

import (
	"time"

	"github.com/tea-agents/tea/value"
)

// text is what a text may be: a string where secrets are resolved, anything
// where an action hands it on unresolved.
type text interface{ string | value.Value }

// endpoint says which model is asked, and how it is reached.
type endpoint[T text] struct {
	Model      string        `json:"model,omitempty" doc:"The model, with or without its provider in front: gpt-4o-mini, ollama/llama3.2. Needed, here or in settings.llm." example:"gpt-4o-mini"`
	Provider   string        `json:"provider,omitempty" doc:"Who runs the model: openai (and every compatible server, by api_base), azure, anthropic, gemini, ollama or shell. By default it follows from the model's name." example:"anthropic"`
	APIBase    T             `json:"api_base,omitempty" doc:"Address of the API, if it is not the provider's own."`
	APIKey     T             `json:"api_key,omitempty" doc:"Key of the API. By default that of the environment: OPENAI_API_KEY, AZURE_OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or GOOGLE_API_KEY."`
	APIVersion string        `json:"api_version,omitempty" doc:"Version of the API; for azure." example:"2024-10-21"`
	Headers    map[string]T  `json:"headers,omitempty" doc:"Further headers of the request."`
	Command    []string      `json:"command,omitempty" doc:"The command of the provider shell, with its arguments: it reads the conversation and writes the answer. It has to be granted." example:"[\"llm\", \"-m\", \"orca\"]"`
	Timeout    time.Duration `json:"timeout" default:"5m" min:"1ms" doc:"Bound of one call of the model."`
	Prices     value.Value   `json:"prices,omitempty" doc:"What models cost in USD per million tokens, by name, over the prices that are known: {my-model: {input: 0.5, output: 1.5}}."`
	User       string        `json:"user,omitempty" doc:"Your user, told to OpenAI, Azure and Anthropic; no other provider is told."`
}

// conversation is what is said to the model.
type conversation[T text] struct {
	Messages []value.Value `json:"messages,omitempty" doc:"The conversation: a list of {role, content}. A role is system, user, assistant or tool; content is a text, or a list of {type: text, text} and {type: image_url, image_url: {url}}." example:"[{\"role\":\"user\",\"content\":\"What is tea?\"}]"`
	Prompt   T             `json:"prompt,omitempty" doc:"What the user says; short for messages."`
	System   T             `json:"system,omitempty" doc:"What the model is told about its part."`
}

// sampling says how the answer is made.
type sampling struct {
	Temperature    *float64               `json:"temperature,omitempty" min:"0" max:"2" doc:"How much chance there is in the answer."`
	TopP           *float64               `json:"top_p,omitempty" min:"0" max:"1" doc:"The share of likely words that the answer is drawn from."`
	MaxTokens      int                    `json:"max_tokens,omitempty" min:"1" doc:"Bound of the answer, in tokens."`
	Stop           value.Value            `json:"stop,omitempty" doc:"A text, or a list of texts, at which the answer ends." example:"[\"END\"]"`
	Seed           *int64                 `json:"seed,omitempty" doc:"Makes the answer repeat itself, where the provider can."`
	ResponseFormat value.Value            `json:"response_format,omitempty" doc:"text; json_object; or {type: json_schema, schema: {…}}, optionally with name and strict. An answer that does not conform is a failure." example:"\"json_object\""`
	Extra          map[string]value.Value `json:"extra,omitempty" doc:"Further parameters by the provider's own names, put into the request as they are."`
}

// offered are tools that the caller sees to.
type offered struct {
	Tools      value.Value `json:"tools,omitempty" doc:"Tools that the model may ask for: a list of {name, description, parameters}, parameters being a JSON Schema. What it asks for is in tool_calls; llm.tools sees to it by itself."`
	ToolChoice value.Value `json:"tool_choice,omitempty" example:"\"required\"" doc:"auto, none, required, or the name of the tool to ask for."`
}

// caching is read by what stands around the action.
type caching struct {
	Cache     string `json:"cache,omitempty" enum:"off,read,write,both" doc:"What the LLM response cache does about the call: nothing, look, store, or both. By default TEA_LLM_CACHE_MODE, else off."`
	Sensitive bool   `json:"sensitive" default:"false" doc:"True keeps the call out of the LLM response cache."`
	Sample    int    `json:"sample,omitempty" min:"0" doc:"Calls that differ in this number alone have answers of their own in the cache and in recordings."`
}

// answerOnInvalid is a parameter of the actions that speak to the model.
type answerOnInvalid struct {
	OnInvalid string `json:"on_invalid,omitempty" enum:"fail,return" doc:"What an answer that is not the JSON asked for does: fail the action, as it does by default, or be returned with success: false, error and error_type."`
}

// callInput are the parameters of llm.call and llm.stream.
type callInput struct {
	endpoint[string]
	conversation[string]
	sampling
	offered
	answerOnInvalid
	caching
}

// passed are the parameters that the composed actions hand on as they are.
type passed struct {
	endpoint[value.Value]
	sampling
	caching
}
