package llm

import (
	"net/netip"
	"net/url"
	"strings"
)

// Trusted tells whether a program's own key may go to the address base of a
// provider: it is the provider's service, this machine, or what the environment
// names. Any other address comes from an agent, which is to bring a key of its
// own. An empty base is the provider's.
func Trusted(provider, base string, getenv func(name string) (string, bool)) bool {
	if base == "" || isDefaultBase(provider, base) {
		return true
	}
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if addr, err := netip.ParseAddr(host); host == "localhost" || err == nil && addr.IsLoopback() {
		return true
	}
	if u.Scheme == "https" && ownHost(provider, host) {
		return true
	}
	for _, name := range baseVariables(provider) {
		text, _ := getenv(name)
		if named, err := url.Parse(strings.TrimSpace(text)); err == nil && text != "" && named.Scheme == u.Scheme && named.Host == u.Host {
			return true
		}
	}
	return false
}

// ownHost tells whether a host is the provider's.
func ownHost(provider, host string) bool {
	if provider == Azure {
		return strings.HasSuffix(host, ".openai.azure.com") || strings.HasSuffix(host, ".cognitiveservices.azure.com")
	}
	u, err := url.Parse(DefaultBase(provider))
	return err == nil && u.Hostname() == host
}
