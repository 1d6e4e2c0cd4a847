package sqliteltm

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
)

// pool is connections with the statements that were prepared on them.
type pool struct {
	db    *sql.DB
	stmts sync.Map     // SQL text → *sql.Stmt; closed with db
	lists atomic.Int64 // how many of them came from query, or nearly did
}

// maxLists is how many statements query keeps.
const maxLists = 64

// stmt returns a prepared statement. It is for constant SQL only, as it keeps
// every text it saw.
func (p *pool) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := p.stmts.Load(query); ok {
		return s.(*sql.Stmt), nil
	}
	s, err := p.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if first, loaded := p.stmts.LoadOrStore(query, s); loaded {
		return first.(*sql.Stmt), s.Close()
	}
	return s, nil
}

// query runs a query whose text may be any, and keeps the first ones prepared:
// a program asks for few of them, again and again.
func (p *pool) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if _, known := p.stmts.Load(query); !known && p.lists.Add(1) > maxLists {
		return p.db.QueryContext(ctx, query, args...)
	}
	s, err := p.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// exec runs a prepared statement and returns how many rows it changed.
func (p *pool) exec(ctx context.Context, query string, args ...any) (int64, error) {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return 0, err
	}
	res, err := s.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// one runs a prepared query to its end and scans its row, sql.ErrNoRows if it
// has none.
func (p *pool) one(ctx context.Context, query string, args []any, dest ...any) error {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return err
	}
	return scanOne(ctx, s, args, dest...)
}

// scanOne is like QueryRow, but it steps to the end: a statement that returns a
// row of what it changed has not committed before.
func scanOne(ctx context.Context, s *sql.Stmt, args []any, dest ...any) error {
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	return scanRow(rows, dest...)
}

// scanRow scans the one row there is, and closes rows.
func scanRow(rows *sql.Rows, dest ...any) error {
	defer func() { _ = rows.Close() }() // after an error; else it is checked below
	found := false
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		found = true
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if err := rows.Close(); err != nil {
		return err
	}
	if !found {
		return sql.ErrNoRows
	}
	return nil
}

// view runs f in a transaction that only reads, and waits for no writer.
func (p *pool) view(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := p.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // there is nothing to undo
	return f(tx)
}

// tx runs f in a transaction that holds the write lock from its beginning.
func (p *pool) tx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback() // err says more
		return err
	}
	return tx.Commit()
}
