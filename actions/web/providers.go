package webactions

import (
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/internal/rest"
	"github.com/tea-agents/tea/value"
)

// provider is a service that searches.
type provider struct {
	name, title string
	base, host  string
	variables   []string // that may hold the key, in order
	header      string   // that carries the key
	scheme      string   // before the key, such as "Bearer "
	request     func(query string, count int) (rest.Request, error)
	list        []string // where the answer has its results
	link, text  string   // keys of a result's address and snippet
	plain       func(string) string
}

// providers returns all, in the order in which a key is looked for.
func providers() []provider {
	return []provider{
		{
			name: "brave", title: "Brave Search", base: "https://api.search.brave.com/res/v1", host: "search.brave.com",
			variables: []string{"BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"}, header: "X-Subscription-Token",
			request: braveRequest, list: []string{"web", "results"}, link: "url", text: "description", plain: html.UnescapeString,
		},
		{
			name: "tavily", title: "Tavily", base: "https://api.tavily.com", host: "tavily.com",
			variables: []string{"TAVILY_API_KEY"}, header: "Authorization", scheme: "Bearer ",
			request: posted("query", "max_results"), list: []string{"results"}, link: "url", text: "content", plain: asIs,
		},
		{
			name: "serper", title: "Serper", base: "https://google.serper.dev", host: "serper.dev",
			variables: []string{"SERPER_API_KEY"}, header: "X-API-KEY",
			request: posted("q", "num"), list: []string{"organic"}, link: "link", text: "snippet", plain: asIs,
		},
		{
			name: "perplexity", title: "Perplexity", base: "https://api.perplexity.ai", host: "perplexity.ai",
			variables: []string{"PERPLEXITY_API_KEY"}, header: "Authorization", scheme: "Bearer ",
			request: posted("query", "max_results"), list: []string{"results"}, link: "url", text: "snippet", plain: asIs,
		},
	}
}

func asIs(text string) string { return text }

func braveRequest(query string, count int) (rest.Request, error) {
	return rest.Request{Method: http.MethodGet, Path: "/web/search", Query: url.Values{
		"q": {query}, "count": {strconv.Itoa(count)}, "text_decorations": {"false"},
	}}, nil
}

// posted returns how to ask a service that takes the query as JSON.
func posted(queryKey, countKey string) func(query string, count int) (rest.Request, error) {
	return func(query string, count int) (rest.Request, error) {
		return rest.JSON(http.MethodPost, "/search", value.Object(
			value.M(queryKey, value.String(query)), value.M(countKey, value.Int(int64(count))),
		))
	}
}

// results reads an answer; ok is false when it is none of this service. An
// answer without a list has found nothing.
func (p *provider) results(answer value.Value, most int) (found []result, ok bool) {
	for _, key := range p.list {
		if answer.Kind() != value.KindObject {
			return nil, false
		}
		answer = answer.At(key)
		if answer.IsNull() {
			return []result{}, true
		}
	}
	if answer.Kind() != value.KindList {
		return nil, false
	}
	found = []result{}
	for _, item := range answer.Items() {
		if len(found) == most {
			break
		}
		r := result{
			Title: p.plain(item.At("title").Text()), URL: item.At(p.link).Text(),
			Snippet: strings.TrimSpace(p.plain(item.At(p.text).Text())),
		}
		if score, scored := item.At("score").AsFloat(); scored {
			r.Score = &score
		}
		found = append(found, r)
	}
	return found, true
}
