package chain

import (
	"errors"
	"strings"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// A reference to the text itself, or to what must have no key, is a name that
// no environment variable has.
const (
	textRef  = "="
	noKeyRef = "=="
)

// Hide returns v with every known secret in its strings as a reference, which
// [Scrubber.Texts] resolves. Keys of objects cannot be references: such an
// object becomes one that does not resolve.
func (s *Scrubber) Hide(v value.Value) value.Value {
	secrets := s.secrets.Load()
	if secrets == nil {
		return v
	}
	out, _ := hider{s, secrets.Spelled()}.value(v)
	return out
}

// Texts returns lookup for references that Hide made, too.
func (s *Scrubber) Texts(lookup func(name string) (string, error)) func(name string) (string, error) {
	return func(name string) (string, error) {
		switch text, ok := strings.CutPrefix(name, textRef); {
		case name == noKeyRef:
			return "", errors.New("a key of an object holds a secret")
		case ok:
			return text, nil
		}
		return lookup(name)
	}
}

// hider replaces secrets by references.
type hider struct {
	scrubber *Scrubber
	spelled  []string // the longest first
}

// value returns v with references, and whether there are any.
func (h hider) value(v value.Value) (value.Value, bool) {
	return rewriter{
		text: h.text,
		key:  func(key string) (string, bool) { return key, h.scrubber.Text(key) == key },
	}.value(v)
}

func (h hider) text(text string) (value.Value, bool) {
	if h.scrubber.Text(text) == text {
		return value.String(text), false
	}
	var parts []value.Value
	for rest := text; rest != ""; {
		at, found := h.first(rest)
		if h.scrubber.Text(rest[:at]) != rest[:at] { // spelled so oddly that nobody can say where it ends
			return value.Secret(textRef + text), true
		}
		parts = append(parts, value.String(rest[:at]))
		if found != "" {
			parts = append(parts, value.Secret(textRef+found))
		}
		rest = rest[at+len(found):]
	}
	out, _ := value.Concat(parts...)
	return out, true
}

// first finds the first spelling of a secret in text, of several the longest.
func (h hider) first(text string) (at int, found string) {
	at = len(text)
	for _, spelled := range h.spelled {
		if i := strings.Index(text[:min(len(text), at+len(spelled))], spelled); i >= 0 && i < at {
			at, found = i, spelled
		}
	}
	return at, found
}

// hideKey is Hide for what keys are made of.
func (s *Scrubber) hideKey(p cache.KeyPolicy) cache.KeyPolicy {
	p.Custom.Value, p.Source.Value = s.Hide(p.Custom.Value), s.Hide(p.Source.Value)
	vary := make([]value.Value, len(p.Vary))
	for i, v := range p.Vary {
		vary[i] = s.Hide(v)
	}
	p.Vary = vary
	return p
}
