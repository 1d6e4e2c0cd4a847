package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Mask is what stands in the place of a credential.
const Mask = "***"

// pattern is a form of credential. Text that holds none of the marks is not
// searched. What keep matches at the beginning of a find stays.
type pattern struct {
	name  string
	marks []string
	find  *regexp.Regexp
	keep  *regexp.Regexp
}

// patterns are compiled once.
//
//nolint:gochecknoglobals // constant: expressions cannot be constants in Go
var patterns = sync.OnceValue(func() []pattern {
	p := func(name, marks, find string) pattern {
		return pattern{name: name, marks: strings.Fields(marks), find: regexp.MustCompile(find)}
	}
	after := func(keep string, p pattern) pattern {
		p.keep = regexp.MustCompile(`^(?:` + keep + `)`)
		return p
	}
	return []pattern{
		p("private key", "-----BEGIN", `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\rn]*)`),
		p("JSON web token", "eyJ", `eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{8,}`),
		after(`_?`, p("API key", "sk-", `(?:\b|_)sk-[A-Za-z0-9_-]{16,}`)),
		p("AWS key", "AKIA ASIA", `(?:AKIA|ASIA)[0-9A-Z]{16}`),
		p("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", `(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})`),
		p("GitLab token", "glpat-", `glpat-[A-Za-z0-9_-]{16,}`),
		p("Google key", "AIza", `AIza[0-9A-Za-z_-]{30,}`),
		p("Slack token", "xox", `xox[abeoprs]-[A-Za-z0-9-]{10,}`),
		p("Stripe key", "k_live_", `[sr]k_live_[A-Za-z0-9]{10,}`),
		p("Hugging Face token", "hf_", `hf_[A-Za-z0-9]{20,}`),
		p("Groq key", "gsk_", `gsk_[A-Za-z0-9]{20,}`),
		after(`(?i:bearer)\s+`, p("bearer token", "earer EARER", `\b(?i:bearer)\s+[A-Za-z0-9._~+/-]{12,}=*`)),
		after(`(?i:authorization)["']?\s*[:=]\s*["']?(?i:basic)\s+`, p("basic credential", "asic ASIC", `\b(?i:authorization)["']?\s*[:=]\s*["']?(?i:basic)\s+[A-Za-z0-9+/_-]{6,}=*`)),
		after(`://[^/\s:@"']*:`, p("password in a URL", "://", `://[^/\s:@"']*:[^/\s@"'*]+@`)),
		after(`[?&][A-Za-z_-]+=`, p("credential in a URL", "=", `[?&](?i:api[_-]?key|key|access_token|token|sig|signature|X-Amz-Signature)=[^&\s"'*\\]{8,}`)),
	}
})

// Find is something that looks like a credential.
type Find struct {
	Kind       string
	Start, End int // the credential itself, in bytes
}

// All returns what looks like a credential in s, in order, without overlaps.
func All(s string) []Find {
	var all []Find
	for _, p := range patterns() {
		if !p.mayBeIn(s) {
			continue
		}
		for _, m := range p.find.FindAllStringIndex(s, -1) {
			start := m[0]
			if p.keep != nil {
				start += len(p.keep.FindString(s[m[0]:m[1]]))
			}
			end := m[1]
			if s[end-1] == '@' {
				end--
			}
			all = append(all, Find{p.name, start, end})
		}
	}
	slices.SortStableFunc(all, func(a, b Find) int { return a.Start - b.Start })
	end := 0
	return slices.DeleteFunc(all, func(f Find) bool {
		if f.Start < end {
			return true
		}
		end = f.End
		return false
	})
}

func (p pattern) mayBeIn(s string) bool {
	return slices.ContainsFunc(p.marks, func(m string) bool { return strings.Contains(s, m) })
}

// Text returns s with every credential masked.
func Text(s string) string {
	finds := All(s)
	if len(finds) == 0 {
		return s
	}
	var b strings.Builder
	last := 0
	for _, f := range finds {
		b.WriteString(s[last:f.Start])
		b.WriteString(Mask)
		last = f.End
	}
	b.WriteString(s[last:])
	return b.String()
}
