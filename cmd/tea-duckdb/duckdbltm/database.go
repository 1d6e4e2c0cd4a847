package duckdbltm

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// readers is how many calls read at once.
const readers = 4

// database is an open DuckDB file.
type database struct {
	db     *sql.DB
	path   string        // "" in memory
	turn   chan struct{} // filled by the call that writes
	writer *sql.Conn

	mu    sync.Mutex
	stmts map[string]*sql.Stmt // that read
	// changes are the statements of writer, used by the call that writes.
	changes map[string]*sql.Stmt
}

// connect opens the file without looking at what is in it. The file is attached,
// under the name tea, to a database in memory: DuckDB's way to open a file at
// once goes through a cache of the process that hangs after an opening has failed.
func (c *config) connect(ctx context.Context) (*database, error) {
	connector, err := duckdb.NewConnector(c.dsn(), nil)
	if err != nil {
		return nil, err
	}
	d := &database{
		db: sql.OpenDB(connector), turn: make(chan struct{}, 1),
		stmts: map[string]*sql.Stmt{}, changes: map[string]*sql.Stmt{},
	}
	if c.path != inMemory {
		d.path = c.path
	}
	d.db.SetMaxOpenConns(readers + 1)
	d.db.SetMaxIdleConns(readers + 1)
	if _, err := d.db.ExecContext(ctx, c.attach()); err != nil { //nolint:gosec // the path is quoted
		return nil, errors.Join(err, d.db.Close())
	}
	if d.writer, err = d.db.Conn(ctx); err != nil {
		return nil, errors.Join(err, d.db.Close())
	}
	return d, nil
}

// attach returns the statement that opens the file. It takes no parameters.
func (c *config) attach() string {
	options := "TYPE duckdb"
	if c.readOnly && c.path != inMemory {
		options += ", READ_ONLY"
	}
	if _, err := os.Stat(c.path); c.alone && errors.Is(err, fs.ErrNotExist) {
		options += ", BLOCK_SIZE 16384"
	}
	return "ATTACH '" + strings.ReplaceAll(c.path, "'", "''") + "' AS tea (" + options + ")"
}

// close writes what the log holds into the file, and closes it. A statement that
// stays open would keep it open.
func (d *database) close() error {
	var errs []error
	for _, s := range d.changes {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, d.writer.Close(), d.db.Close())...)
}

// stmt returns a prepared statement that reads.
func (d *database) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return prepared(ctx, d.stmts, d.db, query)
}

// preparer is a database or a connection.
type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

func prepared(ctx context.Context, known map[string]*sql.Stmt, p preparer, query string) (*sql.Stmt, error) {
	if s, ok := known[query]; ok {
		return s, nil
	}
	s, err := p.PrepareContext(ctx, query)
	if err == nil {
		known[query] = s
	}
	return s, err
}

// transaction changes the database. Its revision is the change counter before.
type transaction struct {
	*database
	revision int64
}

// change runs f in a transaction that raises the change counter by n, and takes
// it back if f fails or returns false. One at a time does that, as DuckDB would
// let the others fail. ctx ends only the waiting: what has begun goes on, for
// DuckDB is slow to notice.
func (d *database) change(ctx context.Context, n int, f func(context.Context, *transaction) (bool, error)) error {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx = context.WithoutCancel(ctx)
	t := &transaction{database: d}
	if _, err := t.exec(ctx, "BEGIN TRANSACTION"); err != nil {
		return err
	}
	err := t.one(ctx, raise, []any{int64(n)}, &t.revision)
	t.revision -= int64(n)
	changed := false
	if err == nil {
		changed, err = f(ctx, t)
	}
	if err != nil || !changed {
		if _, undo := t.exec(ctx, "ROLLBACK"); err == nil {
			err = undo
		}
		return err
	}
	if _, err := t.exec(ctx, "COMMIT"); err != nil {
		_, _ = t.exec(ctx, "ROLLBACK") // where DuckDB has not done that itself
		return err
	}
	d.protect()
	return nil
}

const raise = `UPDATE tea.tea_store SET revision = revision + ? RETURNING revision`

// protect closes the log to others: DuckDB makes it anew every now and then, as
// readable as the process makes files. Only who made it can.
func (d *database) protect() {
	if d.path != "" {
		_ = os.Chmod(d.path+".wal", 0o600)
	}
}

// query runs a statement that returns rows.
func (t *transaction) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := prepared(ctx, t.changes, t.writer, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// one runs a statement that returns one row.
func (t *transaction) one(ctx context.Context, query string, args []any, dest ...any) error {
	s, err := prepared(ctx, t.changes, t.writer, query)
	if err != nil {
		return err
	}
	return s.QueryRowContext(ctx, args...).Scan(dest...)
}

// exec runs a statement and tells how many rows it changed.
func (t *transaction) exec(ctx context.Context, query string, args ...any) (int64, error) {
	s, err := prepared(ctx, t.changes, t.writer, query)
	if err != nil {
		return 0, err
	}
	res, err := s.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// insert inserts rows into the table of entries, as DuckDB does it fastest.
func (t *transaction) insert(rows func(add func(...any) error) error) error {
	return t.writer.Raw(func(conn any) error {
		a, err := duckdb.NewAppender(conn.(*duckdb.Conn), "tea", "", "tea_entries")
		if err != nil {
			return err
		}
		err = rows(func(values ...any) error {
			args := make([]sqldriver.Value, len(values))
			for i, v := range values {
				args[i] = v
			}
			return a.AppendRow(args...)
		})
		return errors.Join(err, a.Close())
	})
}
