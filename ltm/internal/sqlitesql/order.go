package sqlitesql

import (
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// After selects what follows q.After in q's order.
func (w *Conditions) After(q *driver.Query) {
	sign := " > "
	if q.Desc {
		sign = " < "
	}
	column := orderColumn(q.Order)
	switch {
	case column != "":
		w.Add("("+column+", e.namespace, e.key)"+sign+"(?, ?, ?)", q.After.At, q.After.Namespace, q.After.Key)
	case len(q.Namespaces) == 1 && q.Namespaces[0] == q.After.Namespace:
		w.Add("e.key"+sign+"?", q.After.Key) // an index goes on there; it would not with both
	default:
		w.Add("(e.namespace, e.key)"+sign+"(?, ?)", q.After.Namespace, q.After.Key)
	}
}

// OrderBy returns the terms of an ORDER BY clause for q's order.
func OrderBy(q *driver.Query) string {
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

// Match returns an FTS5 expression for records that hold all terms, for an index
// that splits at spaces.
func Match(terms []string) string {
	quoted := make([]string, len(terms))
	for i, term := range terms {
		quoted[i] = `"` + strings.ReplaceAll(term, `"`, `""`) + `"`
	}
	return strings.Join(quoted, " AND ")
}
