package duckdbltm

import (
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// maxList is how long a list of alternatives in SQL becomes at most.
const maxList = 1000

// conditions are SQL conditions with their arguments, all of which must hold.
// Every value of a query becomes a bound parameter.
type conditions struct {
	args  []any
	exact bool // they select what the query does, and nothing more
	sql   []string
}

// add adds a condition with its arguments.
func (w *conditions) add(sql string, args ...any) {
	w.sql = append(w.sql, sql)
	w.args = append(w.args, args...)
}

// String returns the conditions as one.
func (w *conditions) String() string { return strings.Join(w.sql, " AND ") }

// where translates what SQL can decide. What it selects is what q does or more:
// order, After and Limit are no part of it.
func where(q *driver.Query) *conditions {
	w := &conditions{exact: len(q.Filters) == 0}
	w.add("e.space = ?", uint8(q.Space))
	switch {
	case q.Namespaces == nil:
	case len(q.Namespaces) > maxList:
		w.exact = false
	default:
		args := make([]any, len(q.Namespaces))
		for i, n := range q.Namespaces {
			args[i] = []byte(n)
		}
		w.add(oneOf("e.namespace = ?", len(args)), args...)
	}
	w.prefix("e.namespace", q.NamespacePrefix)
	w.prefix("e.key", q.Prefix)
	w.glob(q.Glob)
	if q.ExpiredBy != 0 {
		w.add("e.expires_at > 0 AND e.expires_at <= ?", q.ExpiredBy)
	}
	if q.LiveAt != 0 {
		w.add("(e.expires_at = 0 OR e.expires_at > ?)", q.LiveAt)
	}
	if q.Order == driver.ByExpiry {
		w.add("e.expires_at > 0")
	}
	for i := range q.Filters {
		w.filter(&q.Filters[i])
	}
	return w
}

// oneOf returns a condition that holds where one of n does; of none, none does.
func oneOf(condition string, n int) string {
	if n == 0 {
		return "false"
	}
	return "(" + strings.TrimSuffix(strings.Repeat(condition+" OR ", n), " OR ") + ")"
}

// prefix selects a range, as blobs compare by their bytes.
func (w *conditions) prefix(column, p string) {
	if p == "" {
		return
	}
	w.add(column+" >= ?", []byte(p))
	end := []byte(p)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) > 0 {
		end[len(end)-1]++
		w.add(column+" < ?", end)
	}
}

func (w *conditions) glob(pattern string) {
	head, tail, star := strings.Cut(pattern, "*")
	switch {
	case pattern == "":
	case !star:
		w.add("e.key = ?", []byte(pattern))
	default:
		w.prefix("e.key", head)
		w.exact = w.exact && tail == ""
	}
}

// filter narrows by a metadata filter: metadata is canonical JSON, so it holds
// the last key of the path as it is written there, and a value that is equal
// too. The exact answer is Match's.
func (w *conditions) filter(f *driver.Filter) {
	member := value.String(f.Path[len(f.Path)-1]).String() + ":"
	var wanted []any
	switch f.Op {
	case driver.Eq:
		wanted = append(wanted, written(member, f.Value)...)
	case driver.In:
		for _, v := range f.Value.Items() {
			wanted = append(wanted, written(member, v)...)
		}
	default:
		wanted = append(wanted, member)
	}
	if len(wanted) <= maxList {
		w.add(oneOf("contains(e.metadata, ?)", len(wanted)), wanted...)
	}
}

// written returns how a member with a value may be written, as far as there is
// one way: 1e3 and 1000.0 are equal.
func written(member string, v value.Value) []any {
	switch v.Kind() {
	case value.KindString:
		return []any{member + v.String()}
	case value.KindInt, value.KindBool, value.KindNull: // or 1 would find 10 too
		return []any{member + v.String() + ",", member + v.String() + "}"}
	default:
		return []any{member}
	}
}

// after selects what follows q.After in q's order.
func (w *conditions) after(q *driver.Query, p driver.Position) {
	sign := " > "
	if q.Desc {
		sign = " < "
	}
	column := orderColumn(q.Order)
	if column == "" {
		w.add("(e.namespace, e.key)"+sign+"(?, ?)", []byte(p.Namespace), []byte(p.Key))
		return
	}
	w.add("("+column+", e.namespace, e.key)"+sign+"(?, ?, ?)", p.At, []byte(p.Namespace), []byte(p.Key))
}

// orderBy returns the terms of an ORDER BY clause for q's order.
func orderBy(q *driver.Query) string {
	direction := ""
	if q.Desc {
		direction = " DESC"
	}
	order := "e.namespace" + direction + ", e.key" + direction
	if column := orderColumn(q.Order); column != "" {
		order = column + direction + ", " + order
	}
	return order
}

// orderColumn returns the time that an order begins with, "" for none.
func orderColumn(o driver.Order) string {
	switch o {
	case driver.ByCreated:
		return "e.created_at"
	case driver.ByUpdated:
		return "e.updated_at"
	case driver.ByAccessed:
		return "e.accessed_at"
	case driver.ByExpiry:
		return "e.expires_at"
	default:
		return ""
	}
}
