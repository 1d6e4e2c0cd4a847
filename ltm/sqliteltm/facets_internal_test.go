package sqliteltm

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/sqlitesql"
	"github.com/tea-agents/tea/value"
)

// planOf returns how SQLite reads what a query asks for.
func planOf(t *testing.T, s *Store, q driver.Query) string {
	t.Helper()
	w := sqlitesql.Where(&q)
	if q.After != nil {
		w.After(&q)
	}
	from, err := s.source(t.Context(), &q, w)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.read.db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN SELECT "+valueColumns+" FROM "+from+
		" WHERE "+w.String()+" ORDER BY "+sqlitesql.OrderBy(&q), w.Args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(step + "\n")
	}
	return plan.String()
}

// TestCandidatesComeInOrder holds that a list by metadata stops early: SQLite sorts
// nothing, and goes on in the middle of the index.
func TestCandidatesComeInOrder(t *testing.T) {
	t.Parallel()
	c, err := parse(&url.URL{Scheme: "sqlite", Path: filepath.Join(t.TempDir(), "a.db")})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	one := driver.Filter{Path: []string{"a"}, Value: value.Int(1)}
	three := driver.Filter{Path: []string{"a"}, Op: driver.In, Value: value.Must([]any{1, "x", true, "y"})}
	inOne := "(name=? AND value=? AND namespace=?"
	for name, x := range map[string]struct {
		q    driver.Query
		want string
	}{
		"one namespace":  {driver.Query{Namespaces: []string{"n"}, Filters: []driver.Filter{one}}, inOne + ")"},
		"backwards":      {driver.Query{Namespaces: []string{"n"}, Filters: []driver.Filter{one}, Desc: true}, inOne + ")"},
		"many values":    {driver.Query{Namespaces: []string{"n"}, Filters: []driver.Filter{three}}, inOne + ")"},
		"many filters":   {driver.Query{Namespaces: []string{"n"}, Filters: []driver.Filter{one, three}}, inOne + ")"},
		"live":           {driver.Query{Namespaces: []string{"n"}, Filters: []driver.Filter{one}, LiveAt: 5}, inOne + ")"},
		"key prefix":     {driver.Query{Namespaces: []string{"n"}, Filters: []driver.Filter{one}, Prefix: "p"}, inOne + " AND key>? AND key<?)"},
		"next page":      {driver.Query{Namespaces: []string{"n"}, Filters: []driver.Filter{one}, After: &driver.Position{Namespace: "n", Key: "k"}}, inOne + " AND key>?)"},
		"all namespaces": {driver.Query{Filters: []driver.Filter{one}}, "(name=? AND value=?)"},
	} {
		if plan := planOf(t, s, x.q); !strings.Contains(plan, x.want) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s: it wants %s, no sorting:\n%s", name, x.want, plan)
		}
	}
}
