// Package proxy is an HTTP proxy on the loopback interface that records and
// replays what any program, in any language, says to model providers and other
// servers.
//
// Programs reach it by a base URL, whose first part names the provider
// (http://127.0.0.1:PORT/openai/v1), by the provider's own paths without that
// part, or as their HTTP_PROXY for plain HTTP. What it does about a request is
// the matter of a [github.com/tea-agents/tea/engine/cassette.Session]; the
// proxy routes, passes every chunk on at once, and says what went wrong in the
// words of the provider that was asked.
package proxy
