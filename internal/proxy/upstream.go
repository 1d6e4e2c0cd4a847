package proxy

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/llmwire"
)

// Upstreams are where requests go: base URLs by the name that is the first part
// of a path. See ParseUpstreams.
type Upstreams map[string]*url.URL

// homes are where the providers live.
func homes() map[string]string {
	return map[string]string{
		llmwire.OpenAI:    "https://api.openai.com",
		llmwire.Anthropic: "https://api.anthropic.com",
		llmwire.Gemini:    "https://generativelanguage.googleapis.com",
		llmwire.Ollama:    "http://127.0.0.1:11434",
	}
}

// ParseUpstreams reads NAME=URL, or a URL alone for all model providers, over
// the addresses where the providers live. A name may be a new one. Later ones
// replace earlier ones.
func ParseUpstreams(declared []string) (Upstreams, error) {
	u := Upstreams{}
	for name, home := range homes() {
		if err := u.set(name, home); err != nil {
			return nil, err
		}
	}
	for _, d := range declared {
		names := llmwire.Providers()
		target := d
		if name, rest, found := strings.Cut(d, "="); found && !strings.ContainsAny(name, ":/?") {
			names, target = []string{name}, rest
		}
		for _, name := range names {
			if err := u.set(name, target); err != nil {
				return nil, err
			}
		}
	}
	return u, nil
}

func (u Upstreams) set(name, target string) error {
	if name == "" || name == ownPath || strings.Contains(name, "%") {
		return fmt.Errorf("%q cannot be the name of an upstream", name)
	}
	parsed, err := url.Parse(target)
	if err != nil {
		return fmt.Errorf("upstream %s: %w", name, err)
	}
	if (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Host == "" {
		hint := ""
		if s := diag.Suggest(target, llmwire.Providers()); s != "" {
			hint = fmt.Sprintf("; did you mean %s=URL?", s)
		}
		return fmt.Errorf("upstream %s: want an address such as https://api.example.com, not %q%s", name, target, hint)
	}
	u[name] = parsed
	return nil
}

// canonical returns the URL that a request to an upstream is recorded under,
// wherever the upstream is.
func canonical(name string) *url.URL {
	if home, err := url.Parse(homes()[name]); err == nil && home.Host != "" {
		return home
	}
	return &url.URL{Scheme: "http", Host: name}
}

// under returns the address of path on a base. A version at the end of the base
// is the one at the beginning of the path.
func under(base *url.URL, to *url.URL) *url.URL {
	u := *to
	u.Scheme, u.Host, u.User = base.Scheme, base.Host, base.User
	prefix := strings.TrimSuffix(base.Path, "/")
	if last := "/" + path.Base(prefix); last == "/v1" || last == "/v1beta" {
		if strings.HasPrefix(to.Path, last+"/") || to.Path == last {
			prefix = strings.TrimSuffix(prefix, last)
		}
	}
	if prefix != "" {
		u.Path = prefix + to.Path
		u.RawPath = ""
		if to.RawPath != "" {
			u.RawPath = prefix + to.RawPath
		}
	}
	return &u
}

// targetKey is the key of the upstream in a request's context.
type targetKey struct{}

// forwarder sends requests to their upstreams. It stands under the recorder,
// which so never learns where they are.
type forwarder struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (f forwarder) RoundTrip(req *http.Request) (*http.Response, error) {
	if base, ok := req.Context().Value(targetKey{}).(*url.URL); ok {
		moved := *req
		moved.URL = under(base, req.URL)
		moved.Host = ""
		req = &moved
	}
	return f.next.RoundTrip(req)
}

// Dial opens a connection, like [net.Dialer.DialContext].
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// noDial is the Dial of a replay.
func noDial(_ context.Context, _, addr string) (net.Conn, error) {
	return nil, fmt.Errorf("a replay connects to nobody, not even %s", addr)
}

// connections returns what sends requests through dial.
func connections(dial Dial, proxied func(*http.Request) (*url.URL, error)) *http.Transport {
	return &http.Transport{
		Proxy:               proxied,
		DialContext:         dial,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 100,
	}
}
