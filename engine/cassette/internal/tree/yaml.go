package tree

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

// AppendYAML appends n as YAML in block style: text of several lines as
// literal blocks, everything else on one line each. A root object or list ends
// with a newline. Whatever YAML cannot hold as it is stands in double quotes.
func AppendYAML(dst []byte, n Node) []byte {
	w := &yamlWriter{dst}
	n = n.open()
	switch {
	case n.kind == isValue || n.empty():
		w.inline(n, 0)
	case n.kind == isObject:
		w.object(n.fields, 0, false)
	default:
		w.list(n.items, 0)
	}
	return w.out
}

type yamlWriter struct{ out []byte }

func (w *yamlWriter) text(s string) { w.out = append(w.out, s...) }
func (w *yamlWriter) indent(by int) { w.out = pad(w.out, by) }
func (w *yamlWriter) endLine()      { w.out = append(w.out, '\n') }
func (w *yamlWriter) line(in, s string, by int) {
	w.text(in)
	if s != "" {
		w.indent(by)
		w.text(s)
	}
	w.endLine()
}

// object writes fields at a column; the first one continues the line if told.
func (w *yamlWriter) object(fields []Field, column int, started bool) {
	for i, f := range fields {
		if i > 0 || !started {
			w.indent(column)
		}
		w.key(f.Key, column)
		w.below(f.Node.open(), column)
	}
}

// longKey is from which length on YAML wants a question mark before a key.
const longKey = 500

func (w *yamlWriter) key(key string, column int) {
	text := quote(key)
	if plain(key) {
		text = key
	}
	if len(text) < longKey {
		w.text(text + ":")
		return
	}
	w.text("? " + text + "\n")
	w.indent(column)
	w.text(":")
}

// below writes what stands under a key or a dash in the given column.
func (w *yamlWriter) below(n Node, column int) {
	switch {
	case n.kind == isValue || n.empty():
		w.text(" ")
		w.inline(n, column)
	case n.kind == isObject:
		w.endLine()
		w.object(n.fields, column+step, false)
	default:
		w.endLine()
		w.list(n.items, column+step)
	}
}

func (w *yamlWriter) list(items []Node, column int) {
	for _, item := range items {
		item = item.open()
		w.indent(column)
		w.text("-")
		if item.kind == isObject && !item.empty() {
			w.text(" ")
			w.object(item.fields, column+step, true)
			continue
		}
		w.below(item, column)
	}
}

// inline writes what begins on the line of its key.
func (w *yamlWriter) inline(n Node, column int) {
	switch {
	case n.kind == isObject:
		w.text("{}\n")
	case n.kind == isList:
		w.text("[]\n")
	case n.value.Kind() != value.KindString:
		w.out = append(n.value.AppendJSON(w.out), '\n')
	default:
		w.string(n.value.Text(), column)
	}
}

func (w *yamlWriter) string(s string, column int) {
	switch {
	case plain(s):
		w.text(s + "\n")
	case literal(s):
		w.block(s, column)
	default:
		w.text(quote(s) + "\n")
	}
}

// block writes a literal block. The number in its head says how deep it is
// where the first line alone would mislead, the sign what becomes of the
// newlines at its end.
func (w *yamlWriter) block(s string, column int) {
	head := "|"
	if strings.ContainsAny(s[:1], " \t\n") {
		head += fmt.Sprint(step)
	}
	body, ended := strings.CutSuffix(s, "\n")
	switch {
	case !ended:
		head += "-"
	case strings.HasSuffix(body, "\n"):
		head += "+"
	}
	w.text(head + "\n")
	for l := range strings.SplitSeq(body, "\n") {
		w.line("", l, column+step)
	}
}

// literal tells whether s is text of several lines that a block can hold.
func literal(s string) bool {
	if !strings.Contains(strings.Trim(s, "\n"), "\n") {
		return false
	}
	for _, r := range s {
		if r != '\n' && r != '\t' && !printable(r) {
			return false
		}
	}
	return utf8.ValidString(s)
}

// printable tells whether YAML lets r stand for itself everywhere.
func printable(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return false
	case r == 0xfeff, r >= 0xfff0 && r <= 0xffff:
		return false
	}
	return r < 0x80 || unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) || r == 0x200d || r == 0xfe0f
}

// quote writes s in double quotes, with the escapes that JSON and YAML share
// and those of YAML for what is beyond them.
func quote(s string) string {
	b := strings.Builder{}
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case printable(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plain tells whether s needs no quotes: it begins with a letter, ends with no
// space or colon, looks like no other kind of value, and holds nothing that
// means anything to YAML.
func plain(s string) bool {
	if duration(s) {
		return true
	}
	if s == "" || reserved(s) || strings.ContainsAny(s[len(s)-1:], " :") || strings.Contains(s, ": ") {
		return false
	}
	for i, r := range s {
		switch {
		case letter(r):
		case i == 0:
			return false
		case strings.ContainsRune("0123456789-.,;()+=@!?'*$%&<>~^|", r):
		case r == ' ' || r == ':':
		default:
			return false
		}
	}
	return true
}

// letter tells whether text without quotes may begin with r.
func letter(r rune) bool {
	switch {
	case r < 0x80:
		return r == '_' || r == '/' || unicode.IsLetter(r)
	case r >= 0x2000 && r < 0x3040 || r >= 0xfff0: // among them much that YAML knows
		return false
	}
	return unicode.IsLetter(r)
}

// duration tells whether s looks like 1.5s or 2m0s, which no reader takes for a
// number.
func duration(s string) bool {
	return len(s) > 1 && s[0] >= '0' && s[0] <= '9' && s[len(s)-1] == 's' && strings.Trim(s, "0123456789.nµmhs") == ""
}

// reserved tells whether some YAML reader takes s for something else than text.
func reserved(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return true
	}
	return false
}
