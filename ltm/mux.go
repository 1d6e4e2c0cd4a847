package ltm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm/driver"
)

// Opener reads the URL of a store and returns what opens it. The Mux has
// checked the scheme and that every parameter is known and given once; the
// opener checks their values, and touches nothing: no file, no network. What it
// returns is called again when it failed, but not after an error that wraps
// ErrConfig: that is what no retry can help. Errors carry no credentials.
type Opener func(u *url.URL, o *Options) (open func(context.Context) (driver.Store, error), err error)

// Mux opens memories by URL: it knows an Opener for each scheme. The zero Mux
// knows none. It is safe for concurrent use once all are registered.
type Mux struct {
	schemes   map[string]scheme
	elsewhere map[string]string // a hint by scheme
}

type scheme struct {
	params []string
	opener Opener
}

// plainScheme is the scheme that a plain path stands for.
const plainScheme = "sqlite"

// Handle registers the opener of a scheme with the names of the parameters
// that its URLs may have. The last registration of a scheme counts.
func (x *Mux) Handle(name string, params []string, o Opener) {
	if x.schemes == nil {
		x.schemes = map[string]scheme{}
	}
	x.schemes[name] = scheme{params: slices.Sorted(slices.Values(params)), opener: o}
}

// Elsewhere says of a scheme that another program has its store, and how to get
// that: unless the scheme is registered too, its URLs are ErrElsewhere, and
// ErrConfig, with the hint.
func (x *Mux) Elsewhere(name, hint string) {
	if x.elsewhere == nil {
		x.elsewhere = map[string]string{}
	}
	x.elsewhere[name] = hint
}

// Schemes returns the known schemes, sorted.
func (x *Mux) Schemes() []string { return slices.Sorted(maps.Keys(x.schemes)) }

// Open opens the memory that rawURL names: a URL of a known scheme, or a plain
// path, which is that of an SQLite file. An unknown scheme, an unknown or
// repeated parameter and what else cannot be opened as it stands are ErrConfig.
// No error names a credential.
//
// Besides those of its scheme, every URL may have these parameters:
//
//	readonly=true               every change is ErrReadOnly
//	namespace=NAME              a part of the store of its own: see ltm/namespaced
//	encrypt=env:NAME            encrypted at rest; also file:PATH: see ltm/sealed
//	encrypt_metadata=false      with encrypt: metadata stay in clear, and indexed
//	near=URL                    a nearer store that keeps copies: see ltm/tiered
//	memory=64MiB                copies in memory: see ltm/memtier
//	max_staleness=5s            how old copies may be, of near and memory
func (x *Mux) Open(ctx context.Context, rawURL string, o *Options) (*Memory, error) {
	m, err := x.Lazy(rawURL, o)
	if err != nil {
		return nil, err
	}
	s, err := m.open(ctx)
	if err != nil {
		return nil, m.fail("open", "", err)
	}
	m.store.Store(&s)
	return m, nil
}

// Lazy is Open without opening: the first call on the memory that needs the
// store does that, and all that come meanwhile wait for it. What the URL alone
// tells is checked at once, and is ErrConfig. A store that could not be opened
// (ErrUnavailable, besides its own reason) is tried again by the calls that
// come a second later; one that never can be (ErrConfig) is not.
func (x *Mux) Lazy(rawURL string, o *Options) (*Memory, error) {
	if o == nil {
		o = &Options{}
	}
	open, shown, err := x.store(rawURL, o)
	if err != nil {
		return nil, &Error{Op: "open", URL: shown, Err: err}
	}
	return newMemory(open, shown, o), nil
}

// store returns what opens the store that rawURL names, with its layers, and
// the URL without credentials as far as it can be read.
func (x *Mux) store(rawURL string, o *Options) (open storeOpener, shown string, err error) {
	u, err := parseURL(rawURL)
	if err != nil {
		return nil, "", err
	}
	shown = Redact(u)
	s, err := x.scheme(u)
	if err != nil {
		return nil, shown, err
	}
	inner, l, err := x.split(u, s.params, o)
	if err != nil {
		return nil, shown, err
	}
	if open, err = s.opener(inner, o); err == nil && l != nil {
		open = l.on(open)
	}
	return open, shown, err
}

// parseURL reads a URL or a plain path.
func parseURL(raw string) (*url.URL, error) {
	if strings.TrimSpace(raw) == "" {
		return nil, fmt.Errorf("%w: the URL is empty", ErrConfig)
	}
	if !hasScheme(raw) {
		if _, params, _ := strings.Cut(raw, "?"); strings.Contains(params, "=") { // perhaps encrypt=…
			return nil, fmt.Errorf("%w: a plain path has no parameters: write %s:PATH?NAME=VALUE, "+
				"and %%3F for a question mark in PATH", ErrConfig, plainScheme)
		}
		return &url.URL{Scheme: plainScheme, Path: raw}, nil
	}
	name, _, _ := strings.Cut(raw, ":")
	u, err := url.Parse(raw)
	switch {
	case err != nil: // which would print the URL with its password
		return nil, fmt.Errorf("%w: the %s URL cannot be read: special characters in it must be percent-escaped, "+
			"and a port is a number", ErrConfig, name)
	case strings.Contains(raw, "#"): // what follows may be of the password
		return nil, fmt.Errorf("%w: the %s URL has a #, after which nothing is read: write %%23", ErrConfig, name)
	}
	return u, nil
}

// hasScheme tells a URL from a plain path. One letter and a colon is a drive.
func hasScheme(raw string) bool {
	name, _, ok := strings.Cut(raw, ":")
	if !ok || len(name) < 2 {
		return false
	}
	for i, c := range []byte(strings.ToLower(name)) {
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(c))) {
			return false
		}
	}
	return true
}

// scheme returns the opener for u after checking its parameters.
func (x *Mux) scheme(u *url.URL) (scheme, error) {
	s, ok := x.schemes[u.Scheme]
	if hint := x.elsewhere[u.Scheme]; hint != "" && !ok {
		return s, fmt.Errorf("%w: %w", ErrConfig, elsewhere(hint))
	}
	if !ok {
		return s, fmt.Errorf("%w: unknown scheme %q%s; known are %s", ErrConfig, u.Scheme,
			x.likeScheme(u.Scheme), strings.Join(x.Schemes(), ", "))
	}
	params, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return s, fmt.Errorf("%w: the parameters cannot be read", ErrConfig)
	}
	var wrong []error
	known := s.known()
	for _, name := range slices.Sorted(maps.Keys(params)) {
		switch {
		case !slices.Contains(known, name):
			wrong = append(wrong, fmt.Errorf("unknown parameter %q%s; %s takes %s", name,
				didYouMean(name, known), u.Scheme, strings.Join(known, ", ")))
		case len(params[name]) > 1:
			wrong = append(wrong, fmt.Errorf("parameter %q is given %d times", name, len(params[name])))
		}
	}
	if wrong != nil {
		return s, fmt.Errorf("%w: %w", ErrConfig, errors.Join(wrong...))
	}
	return s, nil
}

// likeScheme says which scheme an unknown one was meant as: one that has it as a
// part, such as blob-sqlite+s3 for s3, else one that is spelt like it.
func (x *Mux) likeScheme(name string) string {
	var whole []string
	for _, known := range x.Schemes() {
		if slices.Contains(strings.Split(known, "+"), name) {
			whole = append(whole, known)
		}
	}
	if whole != nil {
		return ", did you mean " + strings.Join(whole, " or ") + "?"
	}
	return didYouMean(name, append(x.Schemes(), slices.Collect(maps.Keys(x.elsewhere))...))
}

// known returns all parameters that URLs of the scheme may have.
func (s *scheme) known() []string {
	return slices.Compact(slices.Sorted(slices.Values(append(layerParams(), s.params...))))
}

func didYouMean(name string, known []string) string {
	if s := diag.Suggest(name, known); s != "" {
		return fmt.Sprintf(", did you mean %q?", s)
	}
	return ""
}

// Redact returns u as text without credentials: its password and the values of
// parameters that sound like one are replaced by "xxxxx".
func Redact(u *url.URL) string {
	c := *u
	params, err := url.ParseQuery(c.RawQuery)
	if err != nil {
		c.RawQuery = "xxxxx"
		return c.Redacted()
	}
	hidden := false
	for name, values := range params {
		for i, text := range values {
			values[i] = redactParam(name, text)
			hidden = hidden || values[i] != text
		}
	}
	if hidden {
		c.RawQuery = params.Encode()
	}
	return c.Redacted()
}

// redactParam returns the value of a parameter as it may be shown.
func redactParam(name, text string) string {
	const hidden = "xxxxx"
	switch {
	case name == paramNear:
		u, err := parseURL(text)
		switch {
		case err != nil:
			return hidden
		case !hasScheme(text): // a plain path
			return text
		}
		return Redact(u)
	case name == paramEncrypt && !strings.HasPrefix(text, "env:") && !strings.HasPrefix(text, "file:"), // the key itself?
		soundsSecret(name):
		return hidden
	}
	return text
}

func soundsSecret(param string) bool {
	param = strings.ToLower(param)
	for _, word := range []string{"pass", "pwd", "secret", "token", "key", "auth", "cred", "sig"} {
		if strings.Contains(param, word) {
			return true
		}
	}
	return false
}
