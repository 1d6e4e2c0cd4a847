package duckdbltm

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"

	"github.com/tea-agents/tea/ltm/driver"
)

// id returns what stands for a key in the column id.
func id(k driver.Key) int64 {
	h := sha256.New()
	var head [9]byte
	head[0] = byte(k.Space)
	binary.BigEndian.PutUint64(head[1:], uint64(len(k.Namespace)))
	h.Write(head[:])
	h.Write([]byte(k.Namespace))
	h.Write([]byte(k.Key))
	return int64(binary.BigEndian.Uint64(h.Sum(nil)))
}

// The columns of a record, in the order in which row scans them.
const (
	headColumns = `e.space, e.namespace, e.key, e.created_at, e.updated_at, e.accessed_at,
e.expires_at, e.revision, e.size`
	allColumns = headColumns + `, e.metadata, e.value`
)

// row is a record as it is scanned.
type row struct {
	driver.Record
	namespace, key []byte
	metadata       string
}

func (r *row) headFields() []any {
	return []any{&r.Key.Space, &r.namespace, &r.key, &r.CreatedAt, &r.UpdatedAt,
		&r.AccessedAt, &r.ExpiresAt, &r.Revision, &r.Size}
}

func (r *row) allFields() []any { return append(r.headFields(), &r.metadata, &r.Value) }

// record returns the record that was scanned.
func (r *row) record() driver.Record {
	r.Key.Namespace, r.Key.Key = string(r.namespace), string(r.key)
	if r.metadata != "" {
		r.Metadata = []byte(r.metadata)
	}
	return r.Record
}

const queryGet = `SELECT ` + allColumns + ` FROM tea.tea_entries AS e
WHERE e.id = ? AND e.space = ? AND e.namespace = ? AND e.key = ?`

// Get implements driver.Store.
func (s *Store) Get(ctx context.Context, key driver.Key) (driver.Record, error) {
	return call(ctx, s, func(d *database) (driver.Record, error) {
		one, err := d.stmt(ctx, queryGet)
		if err != nil {
			return driver.Record{}, err
		}
		var r row
		err = one.QueryRowContext(ctx, id(key), uint8(key.Space), []byte(key.Namespace), []byte(key.Key)).Scan(r.allFields()...)
		if errors.Is(err, sql.ErrNoRows) {
			err = driver.ErrNotFound
		}
		return r.record(), err
	})
}

// head is a row without its value.
type head struct {
	driver.Record
	row int64
}

const queryHeads = `SELECT e.rowid, ` + headColumns + ` FROM tea.tea_entries AS e
WHERE e.id IN (SELECT unnest(?::BIGINT[]))`

// heads returns what is there under keys.
func (t *transaction) heads(ctx context.Context, keys []driver.Key) (map[driver.Key]head, error) {
	wanted := make(map[driver.Key]bool, len(keys))
	for _, key := range keys {
		wanted[key] = true
	}
	rows, err := t.query(ctx, queryHeads, ids(keys))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err says what counts
	found := make(map[driver.Key]head, len(keys))
	for rows.Next() {
		var h head
		var r row
		if err := rows.Scan(append([]any{&h.row}, r.headFields()...)...); err != nil {
			return nil, err
		}
		if h.Record = r.record(); wanted[h.Key] {
			found[h.Key] = h
		}
	}
	return found, rows.Err()
}

func ids(keys []driver.Key) []int64 {
	all := make([]int64, len(keys))
	for i, key := range keys {
		all[i] = id(key)
	}
	return all
}
