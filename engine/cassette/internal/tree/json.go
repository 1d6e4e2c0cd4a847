package tree

import (
	"github.com/tea-agents/tea/value"
)

// AppendJSON appends n as JSON, indented by two spaces from the column that
// indent spaces make, with no newline at the end.
func AppendJSON(dst []byte, n Node, indent int) []byte {
	n = n.open()
	switch {
	case n.kind == isValue:
		return n.value.AppendJSON(dst)
	case n.empty() && n.kind == isObject:
		return append(dst, "{}"...)
	case n.empty():
		return append(dst, "[]"...)
	case n.kind == isObject:
		dst = append(dst, '{')
		for i, f := range n.fields {
			dst = pad(newItem(dst, i), indent+step)
			dst = value.String(f.Key).AppendJSON(dst)
			dst = AppendJSON(append(dst, ": "...), f.Node, indent+step)
		}
		return append(pad(append(dst, '\n'), indent), '}')
	default:
		dst = append(dst, '[')
		for i, item := range n.items {
			dst = AppendJSON(pad(newItem(dst, i), indent+step), item, indent+step)
		}
		return append(pad(append(dst, '\n'), indent), ']')
	}
}

// step is by how much a level is indented.
const step = 2

func newItem(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return append(dst, '\n')
}

func pad(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}
