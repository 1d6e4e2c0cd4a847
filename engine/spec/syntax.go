package spec

import (
	"bytes"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxSearch is the size up to which the line of a syntax error is searched for
// by parsing again.
const maxSearch = 256 << 10

// syntax reports an error of the YAML package.
func (p *parser) syntax(src []byte, err error) {
	message, line := splitSyntax(err.Error())
	if len(src) <= maxSearch {
		line = p.search(src, message)
	}
	text := p.src.line(line)
	col := len(text) - len(strings.TrimLeft(text, " \t")) + 1
	hint := ""
	switch anchor, isAlias := strings.CutPrefix(message, "unknown anchor '"); {
	case isAlias:
		anchor, _, _ = strings.Cut(anchor, "'")
		col = max(0, strings.Index(text, "*"+anchor)) + 1
	case strings.Contains(text, "{{"):
		hint = "quote text that begins with {{"
	case strings.Contains(message, "cannot start any token") && strings.Contains(text, "\t"):
		col, hint = strings.IndexByte(text, '\t')+1, "indent with spaces, not with tabs"
	case strings.Contains(message, "mapping values are not allowed"):
		hint = "quote text that holds \": \", and check the indentation"
	case strings.Contains(message, "did not find expected key"), strings.Contains(message, "did not find expected '-' indicator"):
		hint = "check the indentation of this line against the lines above"
	}
	p.add(p.src.pos(line, col), len([]rune(text))-col+1, "yaml_syntax", "not valid YAML: %s", message).Hint = hint
}

// splitSyntax takes "yaml: line 3: what" apart.
func splitSyntax(text string) (message string, line int) {
	m := regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`).FindStringSubmatch(text)
	if m == nil {
		return text, 1
	}
	line, _ = strconv.Atoi(m[1])
	return m[2], max(1, line)
}

// search finds the first line with which the text up to it fails as the whole
// does. The line in the error itself is often that of the enclosing list or map.
func (p *parser) search(src []byte, message string) int {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	ends := []int{}
	for i, c := range src {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	if !slices.Contains(ends, len(src)) {
		ends = append(ends, len(src))
	}
	found := sort.Search(len(ends), func(i int) bool {
		_, _, err := decode(src[:ends[i]])
		if err == nil {
			return false
		}
		m, _ := splitSyntax(err.Error())
		return m == message
	})
	return min(found, len(ends)-1) + 1
}

// build turns a YAML node into Data: it follows aliases and merge keys, checks
// keys and reads scalars.
func (p *parser) build(n *yaml.Node) *Data {
	if n.Kind == yaml.AliasNode {
		return p.build(n.Alias)
	}
	d := &Data{Pos: p.src.pos(n.Line, n.Column)}
	switch n.Kind {
	case yaml.SequenceNode:
		p.buildList(d, n)
	case yaml.MappingNode:
		p.buildObject(d, n)
	default:
		p.buildScalar(d, n)
	}
	return d
}
