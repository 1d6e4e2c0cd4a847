package graph

import (
	"regexp"

	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/internal/diag"
)

// locate finds where a template names a root, or a member of it, and how wide
// that is. The place is that of the whole text when it is written in a way that
// cannot be found.
func locate(t spec.Text, base int, root, key string) (diag.Pos, int) {
	pattern := `(?:^|[^\w.])(` + regexp.QuoteMeta(root) + `)(?:\W|$)`
	if key != "" {
		quoted := regexp.QuoteMeta(key)
		pattern = `(?:^|[^\w.])` + regexp.QuoteMeta(root) + `(?:\s*\.\s*|\s*\[\s*["']|\.get\(\s*["'])(` + quoted + `)(?:\W|$)`
	}
	m := regexp.MustCompile(pattern).FindStringSubmatchIndex(t.Value[base:])
	if m == nil {
		return t.Pos, t.Width()
	}
	return t.At(base + m[2]), len([]rune(t.Value[base+m[2] : base+m[3]]))
}
