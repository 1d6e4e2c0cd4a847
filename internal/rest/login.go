package rest

import (
	"net"
	"net/url"
	"strings"

	"github.com/tea-agents/tea/actions"
)

// Login says which key opens a service.
type Login struct {
	// Name is what messages call the service.
	Name string
	// Given is the key that the agent gives, "" for none. It wins.
	Given string
	// Variables are the environment variables that may hold the program's own
	// key, the first one that does counts.
	Variables []string
	// Base is where the key would be sent.
	Base string
	// Host is the service's own domain. The program's own key is sent there,
	// by https, and to this machine, but to no other server, for the address
	// is the agent's to choose and the key is not the agent's to give away.
	Host string
}

// Key returns the key, or an error with the code credential_missing.
func (l Login) Key(credential func(name string) (string, error)) (string, error) {
	if l.Given != "" {
		return l.Given, nil
	}
	base, err := Address("base_url", l.Base)
	if err != nil {
		return "", err
	}
	names := strings.Join(l.Variables, " or ")
	if !l.home(base) {
		return "", actions.Errorf(actions.CodeCredentialMissing,
			"%s: %s is not sent to %s, which is not an address of %s: give api_key", l.Name, names, base.Host, l.Host)
	}
	for _, name := range l.Variables {
		key, err := credential(name)
		if err == nil && key != "" {
			return key, nil
		}
		if err != nil && actions.CodeOf(err) != actions.CodeCredentialMissing {
			return "", err
		}
	}
	return "", actions.Errorf(actions.CodeCredentialMissing, "%s: there is no key: set %s, or give api_key", l.Name, names)
}

// home tells whether base is the service's own, or on this machine.
func (l Login) home(base *url.URL) bool {
	host := strings.ToLower(base.Hostname())
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return true
	}
	return base.Scheme == "https" && (host == l.Host || strings.HasSuffix(host, "."+l.Host))
}
