package llmactions

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// connect makes the client for a completed endpoint.
func connect(open Open, env actions.Env, action string, e endpoint[string]) (llm.Client, error) {
	headers, err := headersOf(e.Headers)
	if err != nil {
		return nil, err
	}
	key, err := keyOf(env, action, e)
	if err != nil {
		return nil, err
	}
	client, err := open(e.Provider, llm.Config{
		APIBase: e.APIBase, APIKey: key, APIVersion: e.APIVersion, Headers: headers,
		HTTP: env.HTTP, Command: e.Command, Shell: shellOf(env),
	})
	return client, coded(err)
}

// shellOf returns what runs the command of the shell provider.
func shellOf(env actions.Env) func(ctx context.Context, argv []string, stdin []byte) ([]byte, error) {
	if env.Exec == nil {
		return nil
	}
	return func(ctx context.Context, argv []string, stdin []byte) ([]byte, error) {
		var out, words bytes.Buffer
		err := env.Exec(ctx, actions.Process{Argv: argv, Stdin: bytes.NewReader(stdin), Stdout: &out, Stderr: &words})
		if err == nil {
			return out.Bytes(), nil
		}
		failure := &llm.Error{Kind: llm.Kind(actions.CodeOf(err)), Message: err.Error(), Err: err}
		if said := strings.TrimSpace(words.String()); said != "" {
			failure.Message += ": " + said[max(0, len(said)-maxWords):]
		}
		return nil, failure
	}
}

// maxWords is how much of what a failing command says is told, from the end.
const maxWords = 2000

// keyOf returns the key of the endpoint, "" where it can do without.
func keyOf(env actions.Env, action string, e endpoint[string]) (string, error) {
	names := keyNames(e.Provider)
	if e.APIKey != "" || len(names) == 0 {
		return e.APIKey, nil
	}
	for _, name := range names {
		key, err := env.Credential(name)
		if err == nil && key != "" {
			return key, nil
		}
		if err != nil && actions.CodeOf(err) != actions.CodeCredentialMissing {
			return "", err
		}
	}
	if e.Provider == llm.OpenAI && e.APIBase != "" {
		return "", nil // a server of one's own
	}
	where := ""
	if e.APIBase != "" {
		where = " (which goes to the provider's own address, to this machine and to the address that the environment names)"
	}
	return "", actions.Errorf(actions.CodeCredentialMissing,
		`%s needs a key for %s: set %s in the environment%s, or give api_key: "{{ secrets.%s }}"`,
		action, e.Provider, strings.Join(names, " or "), where, names[0])
}

// keyNames returns the environment variables that hold the key of a provider.
func keyNames(provider string) []string {
	switch provider {
	case llm.OpenAI:
		return []string{"OPENAI_API_KEY"}
	case llm.Azure:
		return []string{"AZURE_OPENAI_API_KEY"}
	case llm.Anthropic:
		return []string{"ANTHROPIC_API_KEY"}
	case llm.Gemini:
		return []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}
	}
	return nil
}

func headersOf(in map[string]string) (http.Header, error) {
	const tchar = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	out := http.Header{}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		v := in[name]
		if name == "" || strings.Trim(name, tchar) != "" {
			return nil, wrong("headers: %q is not a header's name", name)
		}
		if strings.ContainsAny(v, "\r\n\x00") {
			return nil, wrong("headers: the value of %s has a line end in it", name)
		}
		out[textproto.CanonicalMIMEHeaderKey(name)] = []string{v}
	}
	return out, nil
}

// extraOf returns the further parameters of a request, the user among them
// where the provider has a place for it.
func extraOf(e endpoint[string], extra map[string]value.Value) value.Value {
	if e.User == "" && len(extra) == 0 {
		return value.Null()
	}
	out, user := value.Map(extra), value.String(e.User)
	switch {
	case e.User == "":
	case e.Provider == llm.Anthropic:
		out = out.With("metadata", value.Object(value.M("user_id", user)).Merge(out.At("metadata")))
	case e.Provider == llm.OpenAI || e.Provider == llm.Azure:
		out = value.Object(value.M("user", user)).Merge(out)
	}
	return out
}
