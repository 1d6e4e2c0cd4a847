package sqlitesql

import (
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// maxList is how long a list of alternatives in SQL becomes at most.
const maxList = 1000

// Conditions are SQL conditions with their arguments, all of which must hold.
type Conditions struct {
	Args  []any
	Exact bool // they select what the query does, and nothing more
	sql   []string
}

// Add adds a condition with its arguments.
func (w *Conditions) Add(sql string, args ...any) {
	w.sql = append(w.sql, sql)
	w.Args = append(w.Args, args...)
}

// String returns the conditions as one.
func (w *Conditions) String() string { return strings.Join(w.sql, " AND ") }

// Where translates what SQL can decide. What it selects is what q does or more:
// order, After and Limit are no part of it.
func Where(q *driver.Query) *Conditions {
	w := &Conditions{Exact: len(q.Filters) == 0}
	w.Add("e.space = ?", int64(q.Space))
	w.namespaces(q)
	w.prefix("e.key", q.Prefix)
	w.glob(q.Glob)
	if q.ExpiredBy != 0 {
		w.Add("e.expires_at > 0 AND e.expires_at <= ?", q.ExpiredBy)
	}
	if q.LiveAt != 0 {
		w.Add("(e.expires_at = 0 OR e.expires_at > ?)", q.LiveAt)
	}
	if q.Order == driver.ByExpiry {
		w.Add("e.expires_at > 0")
	}
	for i := range q.Filters {
		w.filter(&q.Filters[i])
	}
	return w
}

// namespaces selects those in which q looks.
func (w *Conditions) namespaces(q *driver.Query) {
	switch {
	case q.Namespaces == nil:
	case len(q.Namespaces) > maxList:
		w.Exact = false
	default:
		names := make([]any, len(q.Namespaces))
		for i, name := range q.Namespaces {
			names[i] = name
		}
		w.oneOf("e.namespace", names)
	}
	w.prefix("e.namespace", q.NamespacePrefix)
}

func (w *Conditions) oneOf(column string, values []any) {
	w.Add(column+" IN ("+marks(len(values))+")", values...)
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// prefix selects a range of texts, which compare by their bytes.
func (w *Conditions) prefix(column, p string) {
	if p == "" {
		return
	}
	w.Add(column+" >= ?", p)
	if end, ok := following(p); ok {
		w.Add(column+" < ?", end)
	}
}

// following returns the first text that follows all that begin with p, if there
// is one. It is valid UTF-8 if p is, as some stores send text as JSON.
func following(p string) (string, bool) {
	p = strings.TrimRight(p, string(utf8.MaxRune))
	last, size := utf8.DecodeLastRuneInString(p)
	switch {
	case p == "":
		return "", false
	case last == utf8.RuneError && size == 1: // no UTF-8
		return p[:len(p)-1] + string([]byte{p[len(p)-1] + 1}), p[len(p)-1] < 0xff
	case last == 0xd7ff: // before what is no character of its own
		last = 0xdfff
	}
	return p[:len(p)-size] + string(last+1), true
}

func (w *Conditions) glob(pattern string) {
	head, tail, star := strings.Cut(pattern, "*")
	switch {
	case pattern == "":
	case !star:
		w.Add("e.key = ?", pattern)
	default:
		w.prefix("e.key", head)
		w.Exact = w.Exact && tail == ""
	}
}

// filter narrows by a metadata filter on simple values. Damaged metadata is let
// through, for Match to notice.
func (w *Conditions) filter(f *driver.Filter) {
	path, ok := jsonPath(f.Path)
	if !ok {
		return
	}
	switch f.Op {
	case driver.Eq:
		w.metadata(path, "IN", f.Value)
	case driver.In:
		if wanted := items(f.Value); len(wanted) > 0 && len(wanted) <= maxList {
			w.metadata(path, "IN", wanted...)
		}
	// SQL rounds large numbers, but keeps their order: what is larger is not
	// smaller after that. It cuts texts at NUL, and keeps their order too.
	case driver.Lt, driver.Le:
		w.metadata(path, "<=", f.Value)
	case driver.Gt, driver.Ge:
		w.metadata(path, ">=", f.Value)
	case driver.Exists:
	}
}

// items returns the items of a list.
func items(list value.Value) []value.Value {
	var all []value.Value
	for _, item := range list.Items() {
		all = append(all, item)
	}
	return all
}

// metadata compares what is at a path with simple values.
func (w *Conditions) metadata(path, comparison string, values ...value.Value) {
	args := []any{path}
	for _, v := range values {
		a, ok := plain(v)
		if !ok {
			return
		}
		args = append(args, a)
	}
	w.Add("CASE WHEN json_valid(e.metadata) THEN json_extract(e.metadata, ?) "+comparison+
		" ("+marks(len(values))+") ELSE true END", args...)
}

// jsonPath returns a path of SQLite, if every key in it is one that SQLite reads as it is written.
func jsonPath(keys []string) (string, bool) {
	var b strings.Builder
	b.WriteByte('$')
	for _, key := range keys {
		if key == "" {
			return "", false
		}
		for _, c := range []byte(key) {
			if c < ' ' || c > '~' || c == '"' || c == '\\' {
				return "", false
			}
		}
		b.WriteString(`."` + key + `"`)
	}
	return b.String(), true
}

// plain returns a value that SQL compares no stricter than we do.
func plain(v value.Value) (any, bool) {
	if s, ok := v.AsString(); ok {
		return s, !strings.ContainsRune(s, 0)
	}
	if i, ok := v.AsInt(); ok {
		return i, true
	}
	if b, ok := v.AsBool(); ok {
		return b, true
	}
	return nil, false
}
