package sqliteltm

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/sqlitesql"
)

// facetsStep makes the index of the metadata of a user's memory. By it a filter
// finds candidates, in the order of their keys, and has the last word itself.
//
// Metadata that is damaged or too much, and that of a very long key, has one facet
// only, the mark: every filter looks at the entries that have it. Its name is
// empty; no filter by an empty name uses the index.
//
// Triggers keep the facets, so a program of the version before, which had the file
// open then, keeps them too. Entries from before have none yet: those that do not
// come before the place in unindexed. Its row is gone when all have theirs.
func facetsStep() string {
	return `
CREATE TABLE facets (
	name      TEXT NOT NULL,
	value     ANY  NOT NULL,
	namespace TEXT NOT NULL,
	key       TEXT NOT NULL,
	PRIMARY KEY (name, value, namespace, key)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER user_entry_put AFTER INSERT ON entries WHEN new.space = 0 BEGIN
	INSERT INTO facets ` + facetsOf("new", "") + orNothing + `;
END;
CREATE TRIGGER user_entry_changed AFTER UPDATE OF space, namespace, key, metadata ON entries
WHEN (old.space = 0 OR new.space = 0) AND (old.metadata <> new.metadata
	OR old.space <> new.space OR old.namespace <> new.namespace OR old.key <> new.key) BEGIN
	DELETE FROM facets WHERE (name, value, namespace, key) IN (` + facetsOf("old", "") + `);
	INSERT INTO facets ` + facetsOf("new", "") + orNothing + `;
END;
CREATE TRIGGER user_entry_gone AFTER DELETE ON entries WHEN old.space = 0 BEGIN
	DELETE FROM facets WHERE (name, value, namespace, key) IN (` + facetsOf("old", "") + `);
END;

CREATE TABLE unindexed (
	namespace TEXT NOT NULL,
	key       TEXT NOT NULL
) STRICT;
INSERT INTO unindexed SELECT '', '' WHERE EXISTS (SELECT 1 FROM entries WHERE space = 0);
`
}

// orNothing lets a facet be that is there. OR IGNORE would not, in a trigger of an
// upsert.
const orNothing = ` ON CONFLICT DO NOTHING`

// facetsOf returns the query of the facets of a row. Of a table's rows, from names
// it.
func facetsOf(row, from string) string {
	return strings.ReplaceAll(`SELECT substr(j.key, 1, 64),
		iif(j.type = 'text', substr(j.atom, 1, 64), j.atom), r.namespace, r.key
	FROM `+from+`json_tree(CASE
		WHEN NOT json_valid(r.metadata) OR length(r.namespace) + length(r.key) > 1000 THEN '{"":0}'
		WHEN length(r.metadata) <= 300 OR (SELECT count(*) FROM json_tree(r.metadata)) <= 100 THEN r.metadata
		ELSE '{"":0}' END) AS j
	WHERE r.space = 0 AND j.type IN ('text', 'integer', 'true', 'false') AND typeof(j.key) = 'text'`, "r.", row+".")
}

// Entries from before there were facets get theirs when the file is opened: few in
// a transaction, so that no other process waits for long, and for so long at most,
// so that whoever opens does not either. Until all have them the index is not used.
const (
	fillAtOnce   = 500
	fillPatience = 2 * time.Second

	queryUnindexed = `SELECT count(*) FROM unindexed`
	queryPlace     = `SELECT namespace, key FROM unindexed`
	queryFillEnd   = `SELECT namespace, key FROM entries
WHERE space = 0 AND (namespace, key) >= (?, ?) ORDER BY namespace, key LIMIT 1 OFFSET ?`
	fillFrom   = ` AND (r.namespace, r.key) >= (?, ?)`
	fillTo     = ` AND (r.namespace, r.key) < (?, ?)`
	setPlace   = `UPDATE unindexed SET namespace = ?, key = ?`
	indexedAll = `DELETE FROM unindexed`
)

// fillFacets goes on with filling the index, as far as it can. Without a whole index
// filters look at all entries, and tell what is wrong there.
func (s *Store) fillFacets(ctx context.Context) {
	patience, cancel := context.WithTimeout(ctx, fillPatience)
	defer cancel()
	for patience.Err() == nil {
		if all, err := s.allIndexed(ctx); all || err != nil || s.config.readOnly {
			return
		}
		if err := s.write.tx(ctx, func(tx *sql.Tx) error { return fillSome(ctx, tx) }); err != nil {
			return
		}
	}
}

// allIndexed tells whether the index is whole, which it stays.
func (s *Store) allIndexed(ctx context.Context) (bool, error) {
	if s.indexed.Load() {
		return true, nil
	}
	var left int
	err := s.read.one(ctx, queryUnindexed, nil, &left)
	if err == nil && left == 0 {
		s.indexed.Store(true)
	}
	return err == nil && left == 0, err
}

// fillSome makes the next facets.
func fillSome(ctx context.Context, tx *sql.Tx) error {
	var from, to [2]string
	err := tx.QueryRowContext(ctx, queryPlace).Scan(&from[0], &from[1])
	if errors.Is(err, sql.ErrNoRows) {
		return nil // another process did the rest
	}
	if err != nil {
		return err
	}
	fill, args := fillFrom, []any{from[0], from[1]}
	err = tx.QueryRowContext(ctx, queryFillEnd, from[0], from[1], fillAtOnce).Scan(&to[0], &to[1])
	more := err == nil
	switch {
	case more:
		fill, args = fill+fillTo, append(args, to[0], to[1])
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	//nolint:gosec // every part is constant text of this package
	_, err = tx.ExecContext(ctx, "INSERT INTO facets "+facetsOf("r", "entries AS r CROSS JOIN ")+fill+orNothing, args...)
	if err != nil {
		return err
	}
	if !more {
		_, err = tx.ExecContext(ctx, indexedAll)
		return err
	}
	_, err = tx.ExecContext(ctx, setPlace, to[0], to[1])
	return err
}

// How List reads candidates by a facet: in the order of their keys, those of each
// value and those with the mark merged. candidates has the columns of entries that
// are asked for.
const (
	candidates = `SELECT r.id, r.space, f.namespace, f.key, r.created_at, r.updated_at, r.accessed_at,
	r.expires_at, r.guard, r.writes, r.revision, r.metadata, r.value, r.beside
FROM facets AS f CROSS JOIN entries AS r ON r.space = 0 AND r.namespace = f.namespace AND r.key = f.key
WHERE f.name = ? AND f.value = ?`

	// many is from how many candidates on no facet is better than another one.
	many = 1000
)

// source returns what a query reads from, and puts its arguments before those of
// w: the candidates of a facet where there is one, else all entries.
func (s *Store) source(ctx context.Context, q *driver.Query, w *sqlitesql.Conditions) (string, error) {
	facets := sqlitesql.Facets(q)
	if q.Space != driver.User || len(facets) == 0 {
		return "entries AS e", nil
	}
	if all, err := s.allIndexed(ctx); err != nil || !all {
		return "entries AS e", err
	}
	f, err := s.rarest(ctx, q, facets)
	if err != nil {
		return "", err
	}
	var args []any
	for _, v := range f.Values {
		args = append(args, f.Name, v)
	}
	w.Args = append(append(args, "", 0), w.Args...)
	return "(" + strings.Repeat(candidates+" UNION ALL ", len(f.Values)) + candidates + ") AS e", nil
}

// rarest returns the facet that has the fewest candidates.
func (s *Store) rarest(ctx context.Context, q *driver.Query, facets []sqlitesql.Facet) (best sqlitesql.Facet, err error) {
	if len(facets) == 1 {
		return facets[0], nil
	}
	least := many + 1
	for i := range facets {
		w := facets[i].Where(q)
		var n int
		rows, err := s.read.query(ctx, "SELECT count(*) FROM (SELECT 1 FROM facets AS e WHERE "+w.String()+" LIMIT ?)",
			append(w.Args, many)...)
		if err != nil {
			return best, err
		}
		if err := scanRow(rows, &n); err != nil {
			return best, err
		}
		if n < least {
			best, least = facets[i], n
		}
	}
	return best, nil
}
