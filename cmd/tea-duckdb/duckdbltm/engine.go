package duckdbltm

import (
	"context"
	"path/filepath"

	"github.com/tea-agents/tea/ltm/bucketltm"
)

// Engine returns what keeps a store in a DuckDB file that is an object of a
// bucket.
func Engine() *bucketltm.Engine {
	return &bucketltm.Engine{
		Prefix: "duckdb+", Type: "application/vnd.duckdb", OpenFile: openObject, CheckFile: checkObject,
	}
}

// objectFile is an open file that is to be an object: nobody else opens it.
type objectFile struct {
	*Store
	path   string
	sealed int64 // how many changes had been made when it was opened or sealed
}

// objectConfig returns the settings for a local file. Small blocks make it small.
func objectConfig(path string) (config, error) {
	path, err := filepath.Abs(path)
	return config{path: path, busy: defaultBusy, memory: defaultMemory, threads: 1, alone: true}, err
}

func openObject(ctx context.Context, path string) (bucketltm.File, error) {
	c, err := objectConfig(path)
	if err != nil {
		return nil, err
	}
	s, err := c.openStore(ctx)
	if err != nil {
		return nil, err
	}
	return &objectFile{Store: s.(*Store), path: path}, nil
}

// checkObject reads all of a file, as DuckDB verifies the checksum of every block
// that it reads.
func checkObject(ctx context.Context, path string) error {
	c, err := objectConfig(path)
	if err != nil {
		return err
	}
	c.readOnly = true
	s, err := c.openStore(ctx)
	if err != nil {
		return err
	}
	_, err = call(ctx, s.(*Store), func(d *database) (sum *string, err error) {
		return sum, d.db.QueryRowContext(ctx, queryAllBlocks).Scan(&sum)
	})
	if closing := s.Close(); err == nil {
		err = closing
	}
	return err
}

const queryAllBlocks = `SELECT bit_xor(hash(e))::VARCHAR FROM tea.tea_entries AS e`

// Changed implements bucketltm.File.
func (o *objectFile) Changed(context.Context) (bool, error) { return o.changes.Load() != o.sealed, nil }

// The table of pushes keeps the last push of the last writers.
const (
	makePushes  = `CREATE TABLE IF NOT EXISTS tea.tea_pushes (id BIGINT NOT NULL, writer VARCHAR NOT NULL, number BIGINT NOT NULL)`
	dropPush    = `DELETE FROM tea.tea_pushes WHERE writer = ?`
	putPush     = `INSERT INTO tea.tea_pushes SELECT coalesce(max(id), 0) + 1, ?, ? FROM tea.tea_pushes`
	forgetPush  = `DELETE FROM tea.tea_pushes WHERE id <= (SELECT max(id) FROM tea.tea_pushes) - 1000`
	queryPushes = `SELECT count(*) FROM duckdb_tables() WHERE database_name = 'tea' AND table_name = 'tea_pushes'`
	queryPush   = `SELECT coalesce(max(number), 0) FROM tea.tea_pushes WHERE writer = ?`
)

// Seal implements bucketltm.File. DuckDB gives up room at the end of a file by
// itself, and never more than that.
func (o *objectFile) Seal(ctx context.Context, writer string, push, _ int64) error {
	_, err := call(ctx, o.Store, func(d *database) (none struct{}, _ error) {
		if _, err := d.writer.ExecContext(ctx, makePushes); err != nil {
			return none, err
		}
		err := d.change(ctx, 0, func(ctx context.Context, t *transaction) (bool, error) {
			if _, err := t.exec(ctx, dropPush, writer); err != nil {
				return false, err
			}
			if _, err := t.exec(ctx, putPush, writer, push); err != nil {
				return false, err
			}
			_, err := t.exec(ctx, forgetPush)
			return true, err
		})
		if err != nil {
			return none, err
		}
		_, err = d.writer.ExecContext(ctx, "CHECKPOINT tea")
		return none, err
	})
	if err == nil {
		o.sealed = o.changes.Load()
	}
	return err
}

// Signed implements bucketltm.File.
func (o *objectFile) Signed(ctx context.Context, writer string) (int64, error) {
	return call(ctx, o.Store, func(d *database) (push int64, err error) {
		var tables int
		if err := d.db.QueryRowContext(ctx, queryPushes).Scan(&tables); err != nil || tables == 0 {
			return 0, err
		}
		return push, d.db.QueryRowContext(ctx, queryPush, writer).Scan(&push)
	})
}
