package cassette

import (
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

const (
	indexName    = "index.sqlite"
	indexVersion = 1
	busyTimeout  = "5000" // milliseconds
)

const indexSchema = `
CREATE TABLE IF NOT EXISTS recordings (
	hash TEXT NOT NULL, endpoint TEXT NOT NULL, model TEXT NOT NULL, timestamp TEXT NOT NULL,
	provider TEXT NOT NULL, node TEXT NOT NULL, id TEXT NOT NULL, sha256 TEXT NOT NULL,
	complete INTEGER NOT NULL, test_suite TEXT NOT NULL, test_name TEXT NOT NULL,
	file TEXT NOT NULL PRIMARY KEY, size INTEGER NOT NULL, mtime INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS recordings_by_hash ON recordings (hash);
CREATE INDEX IF NOT EXISTS recordings_by_endpoint ON recordings (endpoint);
PRAGMA user_version = 1`

const (
	selectRows = `SELECT file, size, mtime, sha256, id, provider, node, model, endpoint, timestamp, test_suite, test_name, complete FROM recordings`
	insertRow  = `INSERT OR REPLACE INTO recordings
		(hash, file, size, mtime, sha256, id, provider, node, model, endpoint, timestamp, test_suite, test_name, complete)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	deleteRow = `DELETE FROM recordings WHERE file = ?`
)

// openIndex opens the index; with create, it is made where it is missing.
func (d *directory) openIndex(create bool) (*sql.DB, error) {
	path, err := filepath.Abs(filepath.Join(d.path, indexName))
	if err != nil {
		return nil, err
	}
	q := url.Values{"_busy_timeout": {busyTimeout}, "_synchronous": {"off"}, "_txlock": {"immediate"}, "mode": {"ro"}}
	if create {
		q.Set("mode", "rwc")
	}
	if path = filepath.ToSlash(path); !strings.HasPrefix(path, "/") { // a drive letter
		path = "/" + path
	}
	connector, err := sqlite.NewConnector((&url.URL{Scheme: "file", Path: path, OmitHost: true, RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return db, nil
}

func (d *directory) readIndex() (rows []row, err error) {
	db, err := d.openIndex(false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var version int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return nil, err
	}
	if version != indexVersion {
		return nil, errors.New("an index of another version")
	}
	found, err := db.Query(selectRows)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	rows = []row{}
	for found.Next() {
		var r row
		if err := found.Scan(&r.file, &r.size, &r.mtime, &r.sum, &r.id, &r.provider, &r.node, &r.model, &r.endpoint, &r.timestamp, &r.suite, &r.test, &r.complete); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, found.Err()
}

// updateIndex writes what changed. Nothing depends on it: where it fails, the
// next one who opens the directory reads the files again.
func (d *directory) updateIndex(current, changed, indexed []row) {
	if indexed == nil {
		for _, name := range []string{indexName, indexName + "-journal", indexName + "-wal", indexName + "-shm"} {
			_ = os.Remove(filepath.Join(d.path, name))
		}
	}
	db, err := d.openIndex(true)
	if err != nil {
		return
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(indexSchema); err != nil {
		return
	}
	tx, err := db.Begin()
	if err != nil {
		return
	}
	defer func() { _ = tx.Rollback() }()
	if writeIndex(tx, current, changed, indexed) == nil {
		_ = tx.Commit()
	}
}

func writeIndex(tx *sql.Tx, current, changed, indexed []row) error {
	here := make(map[string]bool, len(current))
	for _, r := range current {
		here[r.file] = true
	}
	for _, r := range indexed {
		if !here[r.file] {
			if _, err := tx.Exec(deleteRow, r.file); err != nil {
				return err
			}
		}
	}
	insert, err := tx.Prepare(insertRow)
	if err != nil {
		return err
	}
	for _, r := range changed {
		if _, err := insert.Exec(ShortHash(r.sum), r.file, r.size, r.mtime, r.sum, r.id, r.provider, r.node, r.model, r.endpoint, r.timestamp, r.suite, r.test, r.complete); err != nil {
			return errors.Join(err, insert.Close())
		}
	}
	return insert.Close()
}
