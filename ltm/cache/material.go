package cache

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/tea-agents/tea/value"
)

// Component is one part of what a key was made of.
type Component struct {
	// Name is action, action_version, version, agent, vary.0, key, file,
	// source, or args.{name}.
	Name string
	// Digest is the beginning of the part's SHA-256: 32 hex digits.
	Digest string
	// Preview is the part as JSON without secrets, cut to 80 characters.
	Preview string
}

// Material is what a key was made of, in the order in which it took part.
type Material []Component

// The names of the parts that tell whose result an entry is.
const (
	partAction        = "action"
	partActionVersion = "action_version"
	partVersion       = "version"
	partAgent         = "agent"
	partVary          = "vary."
	partArgs          = "args."
)

// identifies tells whether the part of that name is compared on every hit.
func identifies(name string) bool {
	switch name {
	case partAction, partActionVersion, partVersion, partAgent:
		return true
	}
	return strings.HasPrefix(name, partVary)
}

// part is one part of a key before it is put into words.
type part struct {
	name   string
	hashed value.Value // secrets replaced by their digests
	shown  value.Value // secrets as they are: they print masked
}

// digest returns the digest of a part as it stands in the material.
func (p part) digest() string {
	sum, err := p.hashed.Digest()
	if err != nil {
		return ""
	}
	return hex.EncodeToString(sum[:16])
}

// component puts the part into words.
func (p part) component() Component {
	shown := p.shown
	if name, ok := strings.CutPrefix(p.name, partArgs); ok && sensitive(name) {
		shown = value.String(value.Mask)
	}
	return Component{Name: p.name, Digest: p.digest(), Preview: preview(shown)}
}

// find returns the component of that name.
func (m Material) find(name string) (Component, bool) {
	for _, c := range m {
		if c.Name == name {
			return c, true
		}
	}
	return Component{}, false
}

// value returns the material as it is stored: {name: {digest, preview}}.
func (m Material) value() value.Value {
	members := make([]value.Member, len(m))
	for i, c := range m {
		members[i] = value.M(c.Name, value.Object(
			value.M("digest", value.String(c.Digest)), value.M("preview", value.String(c.Preview))))
	}
	return value.Object(members...)
}

// materialOf reads what [Material.value] made, sorted by name.
func materialOf(v value.Value) Material {
	var m Material
	for name, c := range v.Members() {
		m = append(m, Component{Name: name, Digest: c.At("digest").Text(), Preview: c.At("preview").Text()})
	}
	return m
}

// mismatch compares the identity in stored material with that of a call, and
// returns the first part that differs, or "".
func mismatch(stored value.Value, identity []part) string {
	for _, p := range identity {
		if stored.At(p.name, "digest").Text() != p.digest() {
			return p.name
		}
	}
	for name := range stored.Members() {
		if identifies(name) && !has(identity, name) {
			return name
		}
	}
	return ""
}

func has(parts []part, name string) bool {
	for _, p := range parts {
		if p.name == name {
			return true
		}
	}
	return false
}

// changedReason says that a part of an entry is not that of the call.
func changedReason(name, was, is string) string {
	word := name
	if strings.HasPrefix(name, partVary) {
		word = "vary"
	}
	return fmt.Sprintf("%s_changed: the entry was made for %s, not %s", word, or(was, "none"), or(is, "none"))
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

const previewLength = 80

// preview returns v as JSON without secrets, at most 80 characters of it.
func preview(v value.Value) string {
	runes := []rune(redact(v).String())
	if len(runes) <= previewLength {
		return string(runes)
	}
	return string(runes[:previewLength-1]) + "…"
}

// redact hides what stands under names that sound like credentials.
func redact(v value.Value) value.Value {
	switch v.Kind() {
	case value.KindObject:
		members := make([]value.Member, 0, v.Len())
		for name, m := range v.Members() {
			if sensitive(name) {
				m = value.String(value.Mask)
			}
			members = append(members, value.M(name, redact(m)))
		}
		return value.Object(members...)
	case value.KindList:
		items := make([]value.Value, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, redact(item))
		}
		return value.List(items...)
	case value.KindString:
		// No more of a long text is shown anyway.
		if s := v.Text(); len(s) > 8*previewLength {
			return value.String(strings.ToValidUTF8(s[:8*previewLength], ""))
		}
	}
	return v
}

// sensitive tells whether a name sounds like that of a credential.
func sensitive(name string) bool { return sensitiveNames().MatchString(name) }

// sensitiveNames matches names such as password, api_key and X-Auth-Token, but
// not max_tokens.
//
//nolint:gochecknoglobals // compiled once, immutable
var sensitiveNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)passw(or)?d|secret|credential|authorization|cookie|api[-_]?key|private[-_]?key|(^|[-_])(auth|token)$|token$`)
})
