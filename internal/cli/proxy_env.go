package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/internal/spelling"
	"github.com/tea-agents/tea/value"
)

// proxyEnvironment is what leads clients of the providers to a proxy.
func proxyEnvironment(address string) []string {
	base := "http://" + address
	return []string{
		"OPENAI_BASE_URL=" + base + "/openai/v1",
		"ANTHROPIC_BASE_URL=" + base + "/anthropic",
		"GOOGLE_GEMINI_BASE_URL=" + base + "/gemini",
		"OLLAMA_HOST=" + base + "/ollama",
	}
}

// aroundProxies keeps clients from asking a proxy of the environment for one on
// this machine.
func aroundProxies(getenv func(string) string) []string {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		if getenv(name) == "" {
			continue
		}
		except := strings.TrimPrefix(getenv("NO_PROXY")+",127.0.0.1,localhost", ",")
		return []string{"NO_PROXY=" + except, "no_proxy=" + except}
	}
	return nil
}

// dummyKeys are credentials for clients that will not start without, in a replay,
// which needs none. Those that are set stay.
func dummyKeys(mode cassette.Mode) []string {
	if mode != cassette.Replay {
		return nil
	}
	var dummies []string
	for _, name := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"} {
		if os.Getenv(name) == "" {
			dummies = append(dummies, name+"=tea-replay")
		}
	}
	return dummies
}

// shortestSecret is how long a value must be to be masked wherever it stands.
const shortestSecret = 8

// redactEnvironment returns what masks the credentials of an environment, by the
// names of its variables.
func redactEnvironment(environ []string) func(string) string {
	var secrets []string
	for _, entry := range environ {
		name, secret, _ := strings.Cut(entry, "=")
		if len(secret) >= shortestSecret && namesSecret(name) {
			secrets = append(secrets, secret)
		}
	}
	if secrets == nil {
		return nil
	}
	return spelling.New(value.Mask, secrets...).Replace
}

func namesSecret(name string) bool {
	return slices.ContainsFunc([]string{"API_KEY", "_TOKEN", "SECRET", "PASSWORD", "ACCESS_KEY"}, func(part string) bool {
		return strings.Contains(strings.ToUpper(name), part)
	})
}
