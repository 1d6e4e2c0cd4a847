package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
)

const (
	// Custom stands in a key in the place of an action when its rest is the
	// user's own words.
	Custom = "custom"
	// Shared is the namespace of entries that belong to no agent
	// (key_prefix: false).
	Shared = ""

	keyPrefix = "cache:"
)

// Key names an entry. Its text is cache:{namespace}:{action}:{rest}, where
// ":", "*" and "%" inside a part are written %3A, %2A and %25, so that no part
// can imitate another.
type Key struct {
	Namespace string // of the agent, or Shared
	Action    string // canonical name of an action, or Custom
	Rest      string // a digest, or the user's own words
}

// String returns the key in full: what _cache_key holds.
func (k Key) String() string { return keyPrefix + escape(k.Namespace) + ":" + k.inNamespace() }

// inNamespace returns the part of the key that tells entries of one namespace
// apart.
func (k Key) inNamespace() string { return escape(k.Action) + ":" + escape(k.Rest) }

// plain returns the key in full without any escaping, for patterns.
func (k Key) plain() string {
	return keyPrefix + k.Namespace + ":" + k.Action + ":" + k.Rest
}

// ParseKey reads the full text of a key, exactly as [Key.String] writes it.
func ParseKey(text string) (Key, bool) {
	rest, ok := strings.CutPrefix(text, keyPrefix)
	if !ok {
		return Key{}, false
	}
	namespace, rest, ok := strings.Cut(rest, ":")
	if !ok {
		return Key{}, false
	}
	ns, ok := unescape(namespace)
	if !ok {
		return Key{}, false
	}
	return parseInNamespace(ns, rest)
}

// parseInNamespace reads what [Key.inNamespace] writes.
func parseInNamespace(namespace, text string) (Key, bool) {
	a, r, ok := strings.Cut(text, ":")
	if !ok {
		return Key{}, false
	}
	action, okAction := unescape(a)
	rest, okRest := unescape(r)
	if !okAction || !okRest || action == "" || rest == "" {
		return Key{}, false
	}
	return Key{Namespace: namespace, Action: action, Rest: rest}, true
}

// ReadKey reads a key that a person gave, the same way for cache.wrap,
// cache.get and cache.invalidate. The full text of a key of this namespace,
// with Custom or a known action in it, is that key. Everything else is the
// user's own words, a Custom key of this namespace, from which one leading
// "cache:" is dropped. So no text reaches another namespace.
//
// The Rest of the result is empty when text is, or is only "cache:"; then there
// is no key.
func ReadKey(text, namespace string, known func(action string) bool) Key {
	if k, ok := ParseKey(text); ok && k.Namespace == namespace && (k.Action == Custom || known(k.Action)) {
		return k
	}
	return Key{Namespace: namespace, Action: Custom, Rest: strings.TrimPrefix(text, keyPrefix)}
}

// DefaultNamespace returns the namespace of an agent: its name, or else the
// base name of its file with 8 hex digits that tell apart equal names in
// different folders. The path should be absolute.
func DefaultNamespace(name, path string) string {
	if name != "" {
		return name
	}
	base := filepath.Base(path)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	sum := sha256.Sum256([]byte(path))
	return base + "-" + hex.EncodeToString(sum[:4])
}

// escape writes the characters that have a meaning in keys or patterns as %XX.
func escape(part string) string {
	if !strings.ContainsAny(part, ":*%") {
		return part
	}
	return strings.NewReplacer("%", "%25", ":", "%3A", "*", "%2A").Replace(part)
}

// unescape is the exact inverse of escape: it refuses what escape never writes.
func unescape(part string) (string, bool) {
	if !strings.ContainsAny(part, ":*%") {
		return part, true
	}
	plain := strings.NewReplacer("%25", "%", "%3A", ":", "%2A", "*").Replace(part)
	return plain, escape(plain) == part
}

// looksLikeAction tells whether a name has the form of an action's.
func looksLikeAction(name string) bool {
	group, action, ok := strings.Cut(name, ".")
	return ok && group != "" && action != ""
}
