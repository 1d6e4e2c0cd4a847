package postgresltm

import (
	"fmt"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

const (
	maxPath = 30  // keys on a path that SQL follows
	maxList = 100 // alternatives that it tries
)

// conditions are SQL conditions with their parameters.
type conditions struct {
	sql   []string
	args  []any
	exact bool // they select what the query does, and nothing more
}

// arg adds a parameter and returns its mark.
func (w *conditions) arg(v any) string {
	w.args = append(w.args, v)
	return fmt.Sprintf("$%d", len(w.args))
}

func (w *conditions) add(parts ...string) { w.sql = append(w.sql, strings.Join(parts, "")) }

// where translates the conditions of q. What it selects is what q does or more.
func where(q *driver.Query) *conditions {
	w := &conditions{exact: true}
	w.add("e.space = ", w.arg(int16(q.Space)))
	if q.Namespaces != nil {
		names := make([][]byte, len(q.Namespaces))
		for i, n := range q.Namespaces {
			names[i] = []byte(n)
		}
		w.add("e.namespace = ANY (", w.arg(names), "::bytea[])")
	}
	if q.NamespacePrefix != "" {
		w.begins("e.namespace", []byte(q.NamespacePrefix))
		w.begins("e.place", head(appendNamespace(nil, q.NamespacePrefix)))
	}
	w.prefix(q, q.Prefix)
	w.glob(q)
	if q.ExpiredBy != 0 {
		w.add("e.expires_at > 0 AND e.expires_at <= ", w.arg(q.ExpiredBy))
	}
	if q.LiveAt != 0 {
		w.add("(e.expires_at = 0 OR e.expires_at > ", w.arg(q.LiveAt), ")")
	}
	if q.Order == driver.ByExpiry {
		w.add("e.expires_at > 0")
	}
	for i := range q.Filters {
		w.filter(&q.Filters[i])
	}
	return w
}

func head(id []byte) []byte { return id[:min(len(id), maxPlace)] }

// begins selects what begins with p.
func (w *conditions) begins(column string, p []byte) {
	w.add(column, " >= ", w.arg(p))
	if end := next(p); end != nil {
		w.add(column, " < ", w.arg(end))
	}
}

// prefix selects by the beginning of the key, through the index where there is
// one namespace.
func (w *conditions) prefix(q *driver.Query, p string) {
	if len(q.Namespaces) == 1 {
		w.begins("e.place", head(identity(q.Namespaces[0], p)))
	}
	if p != "" {
		w.begins("e.key", []byte(p))
	}
}

func (w *conditions) glob(q *driver.Query) {
	if q.Glob == "" {
		return
	}
	if start, _, _ := strings.Cut(q.Glob, "*"); start != "" {
		w.prefix(q, start)
	}
	like := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`, `*`, `%`).Replace(q.Glob)
	w.add("e.key LIKE ", w.arg([]byte(like)))
}

// after selects what follows a place in the order.
func (w *conditions) after(q *driver.Query, column string) {
	sign := " > "
	if q.Desc {
		sign = " < "
	}
	left, right := "", ""
	if column != "" {
		left, right = column+", ", w.arg(q.After.At)+", "
	}
	at, _ := place(&driver.Key{Namespace: q.After.Namespace, Key: q.After.Key})
	w.add("(", left, "e.place, e.namespace, e.key)", sign, "(", right,
		w.arg(at), ", ", w.arg([]byte(q.After.Namespace)), ", ", w.arg([]byte(q.After.Key)), ")")
}

// filter narrows by a filter on the metadata.
func (w *conditions) filter(f *driver.Filter) {
	if len(f.Path) > maxPath || f.Op == driver.In && f.Value.Len() > maxList {
		w.exact = false
		return
	}
	switch f.Op {
	case driver.Eq:
		w.add(w.equal(f.Path, f.Value))
	case driver.In:
		any := []string{"false"}
		for _, v := range f.Value.Items() {
			any = append(any, w.equal(f.Path, v))
		}
		w.add("(", strings.Join(any, " OR "), ")")
	case driver.Exists:
		w.add(w.at(f.Path, "->"), " IS NOT NULL")
	default:
		w.compare(f)
	}
}

// at is what is at the end of a path, as JSONB, or as text with the arrow ->>.
// Both follow objects only.
func (w *conditions) at(path []string, arrow string) string {
	var b strings.Builder
	b.WriteString("e.facets")
	for i, key := range path {
		sign := "->"
		if i == len(path)-1 {
			sign = arrow
		}
		b.WriteString(" " + sign + " " + w.arg(escape(key)) + "::text")
	}
	return "(" + b.String() + ")"
}

// equal is a condition that the index helps with.
func (w *conditions) equal(path []string, v value.Value) string {
	var doc []byte
	for _, key := range path {
		doc = append(appendText(append(doc, '{'), key), ':')
	}
	doc = append(appendFacets(doc, v), strings.Repeat("}", len(path))...)
	holds := "e.facets @> " + w.arg(string(doc)) + "::text::jsonb"
	switch v.Kind() {
	case value.KindNull, value.KindBool, value.KindString:
		return holds
	case value.KindInt, value.KindFloat: // 1 and 1.0 differ in how they are written
		text, exact := number(v)
		w.exact = w.exact && exact
		return "(" + holds + " AND " + w.at(path, "->>") + " = " + w.arg(text) + "::text)"
	default: // an object holds a smaller one
		w.exact = false
		return holds
	}
}

// compare narrows by the order of numbers or strings.
func (w *conditions) compare(f *driver.Filter) {
	sign := f.Op.String()
	kind, cast := "string", `COLLATE "C"`
	var bound string
	switch f.Value.Kind() {
	case value.KindString:
		bound = w.arg(escape(f.Value.Text())) + "::text"
	case value.KindInt, value.KindFloat:
		text, exact := number(f.Value)
		if text == "null" {
			w.add("false")
			return
		}
		if !exact {
			w.exact = false
			sign = sign[:1] + "="
		}
		kind, cast, bound = "number", "::numeric", w.arg(text)+"::text::numeric"
	default:
		w.add("false")
		return
	}
	w.add("CASE jsonb_typeof(", w.at(f.Path, "->"), ") WHEN '", kind, "' THEN ",
		w.at(f.Path, "->>"), cast, " ", sign, " ", bound, " ELSE false END")
}
