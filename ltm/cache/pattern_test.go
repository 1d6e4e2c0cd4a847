package cache

import "testing"

func TestPatterns(t *testing.T) {
	t.Parallel()
	custom := Key{Namespace: "me", Action: Custom, Rest: "extract:50%*"}
	hashed := Key{Namespace: "me", Action: "http.get", Rest: "ab12"}
	for _, tt := range []struct {
		pattern        string
		custom, hashed bool
	}{
		{"extract:50%*", true, false}, // a star stands for itself too
		{"extract:*", true, false},
		{"cache:extract:*", true, false},
		{"custom:extract:*", true, false},
		{"cache:me:custom:extract:50%*", true, false},
		{"cache:me:*", true, true},
		{"me:*", false, false},
		{"http.get:*", false, true},
		{"cache:http.get:ab12", false, true},
		{"ab12", false, false}, // a digest is nobody's words
		{"*ab12", false, true},
		{"cache:*", true, true},
		{"*", true, true},
		{"**", true, true},
		{"", false, false},
		{"cache:other:*", false, false},
		{"extract:50%25%2A", false, false}, // no escapes in patterns
		{"*:*:*", true, true},
		{"e*t:*%*", true, false},
		{"e*t:*%*x", false, false},
	} {
		if got := matches(tt.pattern, custom); got != tt.custom {
			t.Errorf("%q on %s: %v", tt.pattern, custom.plain(), got)
		}
		if got := matches(tt.pattern, hashed); got != tt.hashed {
			t.Errorf("%q on %s: %v", tt.pattern, hashed.plain(), got)
		}
	}
}
