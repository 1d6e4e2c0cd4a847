package cache_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm/cache"
)

func known(action string) bool { return action == "http.get" || action == "log" }

func TestKeyText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key  cache.Key
		want string
	}{
		{cache.Key{Namespace: "agent", Action: "http.get", Rest: "ab12"}, "cache:agent:http.get:ab12"},
		{cache.Key{Namespace: "agent", Action: cache.Custom, Rest: "search:x"}, "cache:agent:custom:search%3Ax"},
		{cache.Key{Namespace: "a:b*c%d", Action: cache.Custom, Rest: "100% *"}, "cache:a%3Ab%2Ac%25d:custom:100%25 %2A"},
		{cache.Key{Namespace: cache.Shared, Action: cache.Custom, Rest: "k"}, "cache::custom:k"},
	} {
		if got := tt.key.String(); got != tt.want {
			t.Errorf("%+v = %q, want %q", tt.key, got, tt.want)
		}
	}
}

func TestReadKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, action, rest string }{
		{"the user's words", "search", "custom", "search"},
		{"one leading cache: is dropped", "cache:extract:ab", "custom", "extract:ab"},
		{"only one", "cache:cache:x", "custom", "cache:x"},
		{"the full key of a custom entry", "cache:me:custom:extract%3Aab", "custom", "extract:ab"},
		{"the full key of an action's entry", "cache:me:http.get:ab12", "http.get", "ab12"},
		{"another agent's key stays words", "cache:x:y", "custom", "x:y"},
		{"another agent's full key too", "cache:other:custom:k", "custom", "other:custom:k"},
		{"the shared full key too", "cache::custom:k", "custom", ":custom:k"},
		{"an unknown action is none", "cache:me:http.got:ab12", "custom", "me:http.got:ab12"},
		{"more parts than a key has", "cache:me:custom:a:b", "custom", "me:custom:a:b"},
		{"a bad escape", "cache:me:custom:%3a", "custom", "me:custom:%3a"},
		{"an empty rest", "cache:me:custom:", "custom", "me:custom:"},
		{"nothing", "", "custom", ""},
		{"nothing but the prefix", "cache:", "custom", ""},
	} {
		got := cache.ReadKey(tt.text, "me", known)
		if want := (cache.Key{Namespace: "me", Action: tt.action, Rest: tt.rest}); got != want {
			t.Errorf("%s: ReadKey(%q) = %+v, want %+v", tt.name, tt.text, got, want)
		}
	}
}

// part draws a part of a key with many of the characters that matter.
func part(min int) *rapid.Generator[string] {
	return rapid.StringOfN(rapid.RuneFrom([]rune("ab:*%23A5Cé.")), min, 12, -1)
}

func TestParseKeyIsTheInverseOfString(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		k := cache.Key{
			Namespace: part(0).Draw(t, "namespace"), Action: part(1).Draw(t, "action"), Rest: part(1).Draw(t, "rest"),
		}
		got, ok := cache.ParseKey(k.String())
		if !ok || got != k {
			t.Fatalf("%q reads as %+v, %v", k.String(), got, ok)
		}
	})
}

func TestReadKeyNeverLeavesTheNamespace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		namespace := part(0).Draw(t, "namespace")
		text := rapid.OneOf(part(0), rapid.Map(part(0), func(s string) string { return "cache:" + s })).Draw(t, "text")
		k := cache.ReadKey(text, namespace, known)
		if k.Namespace != namespace {
			t.Fatalf("%q read in %q is in %q", text, namespace, k.Namespace)
		}
		if again := cache.ReadKey(k.String(), namespace, known); k.Rest != "" && again != k {
			t.Fatalf("the full key %q reads as %+v, not %+v", k, again, k)
		}
	})
}

func FuzzReadKey(f *testing.F) {
	for _, seed := range []string{"", "cache:", "k", "cache:me:custom:k", "cache:me:http.get:ab", "cache:x:y", "cache::custom:k", "%", "cache:me:custom:%25"} {
		f.Add(seed, "me")
	}
	f.Fuzz(func(t *testing.T, text, namespace string) {
		k := cache.ReadKey(text, namespace, known)
		if k.Namespace != namespace {
			t.Fatalf("left the namespace: %+v", k)
		}
		if k.Rest == "" {
			if text != "" && text != "cache:" {
				t.Fatalf("%q has no rest", text)
			}
			return
		}
		if again := cache.ReadKey(k.String(), namespace, known); again != k {
			t.Fatalf("%q: %+v, and by its full key %+v", text, k, again)
		}
		if full, ok := cache.ParseKey(text); ok && full.String() != text {
			t.Fatalf("%q is not the only text of %+v", text, full)
		}
	})
}

func TestDefaultNamespace(t *testing.T) {
	t.Parallel()
	if got := cache.DefaultNamespace("named", "/a/b.yaml"); got != "named" {
		t.Errorf("a named agent's namespace is %q", got)
	}
	one, other := cache.DefaultNamespace("", "/a/agent.yaml"), cache.DefaultNamespace("", "/b/agent.yaml")
	if one == other || !strings.HasPrefix(one, "agent-") || len(one) != len("agent-")+8 {
		t.Errorf("the namespaces of files: %q, %q", one, other)
	}
}
