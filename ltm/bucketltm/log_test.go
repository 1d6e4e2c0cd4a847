package bucketltm

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
)

// logEngine keeps a store in a file that lists all changes ever made.
func logEngine() *Engine {
	return &Engine{Prefix: "log+", Type: "application/octet-stream", OpenFile: openLog, CheckFile: checkLog}
}

// change is an entry of a log: one of its parts is set.
type change struct {
	Put     []driver.Record
	Deleted []driver.Ref
	Touched []driver.Key
	At      int64
	Writer  string
	Push    int64
}

// logFile is a log that is open: its store is what the changes lead to.
type logFile struct {
	*memltm.Store
	path    string
	mu      sync.Mutex
	changes []change
	sealed  int // how many of them are in the file
	pushes  map[string]int64
}

func openLog(ctx context.Context, path string) (File, error) {
	changes, err := readLog(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.WriteFile(path, nil, 0o600)
	}
	if err != nil {
		return nil, err
	}
	l := &logFile{Store: memltm.New(), path: path, pushes: map[string]int64{}, changes: changes, sealed: len(changes)}
	for _, c := range changes {
		_, putErr := l.Store.PutBatch(ctx, c.Put)
		_, deleteErr := l.Store.DeleteBatch(ctx, c.Deleted)
		if err := errors.Join(putErr, deleteErr, l.Store.Touch(ctx, c.Touched, c.At)); err != nil {
			return nil, err
		}
		l.pushes[c.Writer] = c.Push
	}
	return l, nil
}

func checkLog(_ context.Context, path string) error {
	_, err := readLog(path)
	return err
}

func readLog(path string) (changes []change, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&changes); err != nil && len(text) > 0 {
		return nil, fmt.Errorf("%w: %w", driver.ErrCorrupt, err)
	}
	return changes, nil
}

func (l *logFile) Changed(context.Context) (bool, error) { return len(l.changes) != l.sealed, nil }

func (l *logFile) Seal(_ context.Context, writer string, push, _ int64) error {
	l.changes = append(l.changes, change{Writer: writer, Push: push})
	l.pushes[writer] = push
	l.sealed = len(l.changes)
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(l.changes); err != nil {
		return err
	}
	return os.WriteFile(l.path, text.Bytes(), 0o600)
}

func (l *logFile) Signed(_ context.Context, writer string) (int64, error) {
	return l.pushes[writer], nil
}

func (l *logFile) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	created, err := l.Store.Put(ctx, r, c)
	if err == nil {
		l.changes = append(l.changes, change{Put: []driver.Record{r}})
	}
	return created, err
}

func (l *logFile) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	created, err := l.Store.PutBatch(ctx, records)
	if err == nil && len(records) > 0 {
		l.changes = append(l.changes, change{Put: records})
	}
	return created, err
}

func (l *logFile) Delete(ctx context.Context, key driver.Key, revision int64) (bool, error) {
	deleted, err := l.DeleteBatch(ctx, []driver.Ref{{Key: key, Revision: revision}})
	return err == nil && deleted[0], err
}

func (l *logFile) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	deleted, err := l.Store.DeleteBatch(ctx, refs)
	var gone []driver.Ref
	for i, ok := range deleted {
		if ok {
			gone = append(gone, refs[i])
		}
	}
	if len(gone) > 0 {
		l.changes = append(l.changes, change{Deleted: gone})
	}
	return deleted, err
}

func (l *logFile) DeleteExpired(ctx context.Context, space driver.Space, now int64, limit int) (int, error) {
	return driver.DeleteListed(ctx, l, driver.Query{Space: space, ExpiredBy: now, Order: driver.ByExpiry}, limit)
}

func (l *logFile) Touch(ctx context.Context, keys []driver.Key, at int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, err := l.GetBatch(ctx, keys)
	if err != nil || len(found) == 0 {
		return err
	}
	l.changes = append(l.changes, change{Touched: keys, At: at})
	return l.Store.Touch(ctx, keys, at)
}
