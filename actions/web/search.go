package webactions

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/rest"
)

// Actions returns the actions of the group web.
func Actions() []actions.Action {
	return []actions.Action{search()}
}

type searchInput struct {
	Query      string        `json:"query" doc:"What to look for." example:"green tea harvest" min:"1"`
	Provider   string        `json:"provider,omitempty" doc:"The service to ask; without it the first one that there is a key for." enum:"brave,tavily,serper,perplexity"`
	NumResults int           `json:"num_results" doc:"How many results at most." default:"10" min:"1" max:"20"`
	BaseURL    string        `json:"base_url,omitempty" doc:"Where the provider's API is, if not at its own address."`
	APIKey     string        `json:"api_key,omitempty" doc:"The key; without it that of the environment."`
	Timeout    time.Duration `json:"timeout" doc:"Bound of the whole search." default:"30s" min:"1ms"`
}

type result struct {
	Title   string   `json:"title" doc:"Title of the page."`
	URL     string   `json:"url" doc:"Address of the page."`
	Snippet string   `json:"snippet" doc:"What the page says about it, as plain text."`
	Score   *float64 `json:"score,omitempty" doc:"How well it fits, where the provider says so."`
}

type searchOutput struct {
	Results  []result `json:"results" doc:"What was found, best first."`
	Query    string   `json:"query" doc:"What was looked for."`
	Provider string   `json:"provider" doc:"Who was asked."`
	Count    int      `json:"count" doc:"Number of results."`
}

const searchDoc = "The key is `api_key`, else the environment variable of the provider: `BRAVE_API_KEY`, `TAVILY_API_KEY`, `SERPER_API_KEY`, " +
	"`PERPLEXITY_API_KEY`. Without a `provider` they are tried in this order. A key of the environment is sent to the provider's own " +
	"address and to this machine only; another `base_url` needs an `api_key`.\n\n" +
	"No key and a refused one fail as `credential_missing`, an account that may not search as `denied`, too many requests and faults " +
	"of the provider as `unavailable` (a `Retry-After` is kept for `retry`)."

func search() actions.Action {
	return actions.Define(actions.Spec{
		Name: "web.search", Version: 1, Effect: actions.Read, Outward: true,
		Summary: "Searches the web.", Doc: searchDoc,
		Examples: []actions.Example{{
			Title: "Search, and remember it for a day",
			YAML: `- name: search
  uses: web.search
  with: {query: "{{ state.query }}", num_results: 5}
  cache: 24h
  output: found`,
		}},
	}, find)
}

func find(ctx context.Context, env actions.Env, in searchInput) (searchOutput, error) {
	if strings.TrimSpace(in.Query) == "" {
		return searchOutput{}, actions.Errorf(actions.CodeInvalidInput, "query: there is nothing to look for")
	}
	p, key, err := choose(env, in)
	if err != nil {
		return searchOutput{}, err
	}
	req, err := p.request(in.Query, in.NumResults)
	if err != nil {
		return searchOutput{}, err
	}
	ctx, cancel := rest.Within(ctx, in.Timeout, p.title)
	defer cancel()
	service := &rest.Service{
		Name: p.title, Base: p.base, Header: http.Header{}, Hidden: []string{key}, HTTP: env.HTTP, Clock: env.Clock,
	}
	service.Header.Set(p.header, p.scheme+key)
	answer, err := service.Do(ctx, req)
	if err != nil {
		return searchOutput{}, err
	}
	found, ok := p.results(answer.JSON, in.NumResults)
	if !ok {
		return searchOutput{}, actions.Errorf(actions.CodeFailed, "%s: the answer has no results where they belong (%s)",
			p.title, strings.Join(p.list, "."))
	}
	env.Keep(answer.Raw)
	return searchOutput{Results: found, Query: in.Query, Provider: p.name, Count: len(found)}, nil
}

// choose returns the provider, its base as asked for, and the key.
func choose(env actions.Env, in searchInput) (provider, string, error) {
	var variables []string
	for _, p := range providers() {
		if in.Provider != "" && in.Provider != p.name {
			continue
		}
		if in.BaseURL != "" {
			p.base = in.BaseURL
		}
		key, err := rest.Login{
			Name: p.title, Given: in.APIKey, Variables: p.variables, Base: p.base, Host: p.host,
		}.Key(env.Credential)
		switch {
		case in.Provider != "":
			return p, key, err
		case in.BaseURL != "" || in.APIKey != "":
			return p, "", actions.Errorf(actions.CodeInvalidInput, "provider: say whose base_url or api_key it is")
		case err == nil:
			return p, key, nil
		case actions.CodeOf(err) != actions.CodeCredentialMissing:
			return p, "", err
		}
		variables = append(variables, p.variables[0])
	}
	return provider{}, "", actions.Errorf(actions.CodeCredentialMissing,
		"web.search: there is no key of any provider: set one of %s, or give provider and api_key", strings.Join(variables, ", "))
}
