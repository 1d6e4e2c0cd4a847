package proxy

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/llmwire"
)

// ownPath is the first part of the proxy's own paths.
const ownPath = "_tea"

// route is where a request goes.
type route struct {
	url      *url.URL // what it is recorded under
	upstream *url.URL // where it goes, nil for the URL itself
	provider string   // in whose words to answer
}

// routeError says that a request has nowhere to go.
type routeError struct {
	status  int
	message string
}

func (e *routeError) Error() string { return e.message }

// route finds out where a request goes.
func (p *Proxy) route(r *http.Request) (route, error) {
	if r.URL.Host != "" && !toSelf(r) {
		return p.absolute(r)
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if upstream, ok := p.upstreams[first]; ok {
		u := *r.URL
		u.Path = "/" + rest
		if raw, ok := strings.CutPrefix(r.URL.RawPath, "/"+first); ok {
			u.RawPath = raw
		}
		return p.to(first, upstream, &u, r), nil
	}
	if e := llmwire.Recognize(r.Method, r.URL.Path, r.Header); e.Provider != "" {
		return p.to(e.Provider, p.upstreams[e.Provider], r.URL, r), nil
	}
	return route{}, p.unknown(first, r)
}

func (p *Proxy) to(name string, upstream, u *url.URL, r *http.Request) route {
	provider := name
	if e := llmwire.Recognize(r.Method, u.Path, r.Header); e.Provider != "" {
		provider = e.Provider
	}
	return route{url: under(canonical(name), u), upstream: upstream, provider: provider}
}

// absolute routes a request of a client that takes us for its HTTP proxy.
func (p *Proxy) absolute(r *http.Request) (route, error) {
	if r.URL.Scheme != "http" {
		return route{}, &routeError{http.StatusNotImplemented, fmt.Sprintf("this proxy speaks http to others, not %q: %s", r.URL.Scheme, useBaseURL)}
	}
	e := llmwire.Recognize(r.Method, r.URL.Path, r.Header)
	u := *r.URL
	return route{url: &u, provider: e.Provider}, nil
}

// useBaseURL says how to be recorded where a proxy for HTTP does not help.
const useBaseURL = "what is encrypted cannot be recorded; give the program a base URL of this proxy instead, " +
	"such as OPENAI_BASE_URL=http://ADDRESS/openai/v1, or for other servers --upstream NAME=https://… and http://ADDRESS/NAME"

func (p *Proxy) unknown(first string, r *http.Request) error {
	names := make([]string, 0, len(p.upstreams))
	for name := range p.upstreams {
		names = append(names, name)
	}
	slices.Sort(names)
	return &routeError{http.StatusNotFound, fmt.Sprintf("%s %s is no path of a model provider, and /%s/ names no upstream, which are %s; %s",
		r.Method, r.URL.Path, first, strings.Join(names, ", "), diag.DidYouMean(first, names))}
}

// toSelf tells whether a request names the proxy itself as its host.
func toSelf(r *http.Request) bool {
	own, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && own.String() == r.URL.Host
}

// outgoing returns the request to send on, without what is between the client
// and us.
func outgoing(r *http.Request, to route) *http.Request {
	ctx := r.Context()
	if to.upstream != nil {
		ctx = context.WithValue(ctx, targetKey{}, to.upstream)
	}
	out := r.Clone(ctx)
	out.URL, out.Host, out.RequestURI = to.url, "", ""
	if r.ContentLength == 0 {
		out.Body = http.NoBody
	}
	removeHopByHop(out.Header)
	return out
}

// removeHopByHop removes headers that are meant for the next hop alone.
func removeHopByHop(h http.Header) {
	for _, list := range h.Values("Connection") {
		for name := range strings.SplitSeq(list, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range []string{
		"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection",
		"Te", "Trailer", "Transfer-Encoding", "Upgrade",
	} {
		h.Del(name)
	}
}
