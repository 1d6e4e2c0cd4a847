package llm

import (
	"strings"

	"github.com/tea-agents/tea/value"
)

// Effective completes the input of an action that asks a model: what defaults
// hold under it, the provider and the endpoint found out, and the question in
// one form. Both are objects as written in an agent, null counting as an empty
// one, and so does a key with null as a missing one. Secrets stay as they are.
//
//   - A key that input lacks is taken from defaults. What input says of the
//     provider comes first: defaults that belong to another provider lend
//     neither its model nor its address, credentials and extra parameters. An
//     input with messages or a prompt takes over no part of another question.
//   - prompt and system become messages; embed's input becomes a list.
//   - provider is what is said, else the prefix of the model
//     ("openai/gpt-4o"), else that which the model's name belongs to, else
//     openai where there is an api_base. A provider that is said together with
//     an api_base leaves the model's name alone, for servers whose models have
//     such names.
//   - api_base stands in the result where it is not the provider's own; it
//     comes from input, defaults or the environment, read through getenv,
//     which may be nil.
//
// It is idempotent. The error is an *Error of kind InvalidInput that names
// everything that is wrong.
func Effective(_ string, input, defaults value.Value, getenv func(string) (string, bool)) (value.Value, error) {
	var p problems
	input, defaults = p.object("the input", input), p.object("settings.llm", defaults)
	if len(p) > 0 {
		return value.Null(), p.err()
	}
	v := merge(input, defaults)
	v = p.endpoint(v, getenv)
	v = p.question(v)
	if err := p.err(); err != nil {
		return value.Null(), err
	}
	return v, nil
}

// object returns v without the members that are null.
func (p *problems) object(what string, v value.Value) value.Value {
	if v.IsNull() {
		return value.Object()
	}
	if v.Kind() != value.KindObject {
		p.add("%s must be an object, not a %s", what, v.Kind())
		return v
	}
	for key, m := range v.Members() {
		if m.IsNull() {
			v = v.Without(key)
		}
	}
	return v
}

// merge puts input over what it takes from defaults.
func merge(input, defaults value.Value) value.Value {
	if has(input, "messages") || has(input, "prompt") {
		defaults = defaults.Without("messages").Without("prompt")
	}
	if has(input, "messages") {
		defaults = defaults.Without("system")
	}
	said, usual := saidProvider(input, defaults), ownProvider(defaults)
	if said != "" && usual != "" && said != usual {
		for _, key := range []string{"provider", "model", "api_base", "api_key", "api_version", "headers", "extra"} {
			defaults = defaults.Without(key)
		}
	}
	return defaults.Merge(input)
}

func has(v value.Value, key string) bool {
	_, ok := v.Get(key)
	return ok
}

// ownProvider returns the provider that v alone points at, or "".
func ownProvider(v value.Value) string {
	if p := v.At("provider").Text(); p != "" {
		return p
	}
	model := v.At("model").Text()
	if p, _ := splitModel(model); p != "" {
		return p
	}
	return infer(model)
}

// saidProvider returns the provider that input asks for against defaults, or
// "" where it leaves that to them.
func saidProvider(input, defaults value.Value) string {
	if p := input.At("provider").Text(); p != "" {
		return p
	}
	model := input.At("model").Text()
	prefix, _ := splitModel(model)
	usual := has(defaults, "provider")
	if usual && (has(defaults, "api_base") || has(input, "api_base")) {
		return "" // the model's whole name is that server's affair
	}
	if prefix != "" {
		return prefix
	}
	if usual {
		return ""
	}
	return infer(model)
}

// endpoint fills in provider, model and api_base.
func (p *problems) endpoint(v value.Value, getenv func(string) (string, bool)) value.Value {
	model, provider := p.name(v, "model"), p.name(v, "provider")
	said := provider != ""
	if said && !isProvider(provider) {
		p.add("unknown provider %q%s; another server that speaks OpenAI's protocol is provider: openai with its api_base",
			provider, hint(provider, ProviderNames()))
		return v
	}
	if !said {
		provider, model = guess(v, model)
	}
	if provider == "" && len(*p) == 0 {
		p.noProvider(model)
	}
	if provider == "" {
		return v
	}
	v = p.base(v, provider, getenv)
	if said && !has(v, "api_base") {
		model = p.strip(provider, model)
	}
	if model == "" && provider != Shell && len(*p) == 0 {
		p.add("the model is missing: say model: here or in settings.llm")
	}
	v = v.With("provider", value.String(provider))
	if model != "" {
		v = v.With("model", value.String(model))
	}
	return v
}

// guess finds the provider of a model where none is said.
func guess(v value.Value, model string) (provider, rest string) {
	if provider, rest = splitModel(model); provider != "" {
		return provider, rest
	}
	if provider = infer(model); provider == "" && has(v, "api_base") && model != "" {
		provider = OpenAI
	}
	return provider, model
}

func (p *problems) noProvider(model string) {
	names := strings.Join(ProviderNames(), ", ")
	if model == "" {
		p.add("the model is missing: say model: here or in settings.llm, as in openai/gpt-4o (providers: %s)", names)
		return
	}
	prefix, rest, found := strings.Cut(model, "/")
	if found {
		p.add("nobody knows the provider of the model %q%s; say provider: (%s), or api_base: of a server that speaks OpenAI's protocol",
			model, hint(prefix+"/"+rest, prefixed(rest)), names)
		return
	}
	p.add("nobody knows the provider of the model %q; say provider: (%s), or api_base: of a server that speaks OpenAI's protocol",
		model, names)
}

// prefixed returns the name of a model with each provider's prefix.
func prefixed(model string) []string {
	names := ProviderNames()
	for i, n := range names {
		names[i] = n + "/" + model
	}
	return names
}

// strip takes the provider's own prefix off the name of one of its models.
func (p *problems) strip(provider, model string) string {
	for {
		prefix, rest := splitModel(model)
		switch prefix {
		case "":
			return model
		case provider:
			model = rest
		default:
			p.add("the model %q is one of %s, but the provider is %s", model, prefix, provider)
			return model
		}
	}
}

// base finds the address and says it where it is not the provider's own.
func (p *problems) base(v value.Value, provider string, getenv func(string) (string, bool)) value.Value {
	given, ok := v.Get("api_base")
	source := "api_base"
	if !ok && getenv != nil {
		for _, name := range baseVariables(provider) {
			text, set := getenv(name)
			if !set || text == "" {
				continue
			}
			if provider == Ollama {
				text = ollamaHost(text)
			}
			given, ok, source = value.String(text), true, name
			break
		}
	}
	if !ok || given.Kind() == value.KindSecret {
		return v
	}
	clean, good := cleanBase(given.Text())
	if !good {
		p.add("%s must be an address such as http://127.0.0.1:8080/v1, not %q", source, given.Text())
		return v
	}
	if isDefaultBase(provider, clean) {
		return v.Without("api_base")
	}
	return v.With("api_base", value.String(clean))
}

// name returns the string under key, "" if there is none.
func (p *problems) name(v value.Value, key string) string {
	m, ok := v.Get(key)
	if ok && m.Kind() != value.KindString {
		p.add("%s must be a string, not a %s", key, m.Kind())
	}
	return strings.TrimSpace(m.Text())
}

// question brings the question into one form.
func (p *problems) question(v value.Value) value.Value {
	if m, ok := v.Get("input"); ok && m.Kind() != value.KindList {
		v = v.With("input", value.List(asContent(m)))
	}
	messages, given := v.Get("messages")
	prompt, prompted := v.Get("prompt")
	system, instructed := v.Get("system")
	if given && prompted {
		p.add("give either messages or prompt, not both")
		return v
	}
	if !given && !prompted {
		return v // the action says whether it needs one
	}
	var turns []value.Value
	if instructed {
		turns = append(turns, turn(System, system))
	}
	if prompted {
		turns = append(turns, turn(User, prompt))
	}
	for _, m := range messages.Items() {
		if instructed && Role(m.At("role").Text()) == System {
			p.add("system is given twice: by itself and in messages")
			return v
		}
		turns = append(turns, m)
	}
	if given && (messages.Kind() != value.KindList || !instructed) {
		return v // as it was, be it right or wrong
	}
	return v.Without("prompt").Without("system").With("messages", value.List(turns...))
}

func turn(role Role, content value.Value) value.Value {
	return value.Object(value.M("role", value.String(string(role))), value.M("content", asContent(content)))
}

// asContent turns a number or a boolean into its text.
func asContent(v value.Value) value.Value {
	if s, ok := text(v); ok {
		return value.String(s)
	}
	return v
}
