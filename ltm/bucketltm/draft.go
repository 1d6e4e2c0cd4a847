package bucketltm

import (
	"context"
	"os"

	"github.com/tea-agents/tea/ltm/driver"
)

// result is what came of an operation.
type result struct {
	done  bool   // created, or deleted
	each  []bool // the same of each part
	count int
	err   error
}

// draft is a local file to which changes are made. The goroutine that commits
// has it.
type draft struct {
	base *version // whose content it has, as long as nothing is changed
	path string
	file File
}

// draftOf returns a draft of base.
func (s *Store) draftOf(ctx context.Context, base *version) (*draft, error) {
	if s.draft != nil && s.draft.base == base {
		return s.draft, nil
	}
	s.dropDraft()
	path := s.work.file()
	if base.mark != "" {
		if err := copyFile(ctx, path, base.path, nil); err != nil {
			return nil, err
		}
	}
	f, err := s.config.engine.OpenFile(ctx, path)
	if err != nil {
		_ = os.Remove(path) // err says more
		return nil, err
	}
	s.draft = &draft{base: base, path: path, file: f}
	return s.draft, nil
}

// dropDraft throws the draft away. The changes in it are in the bucket, or are
// to be made again.
func (s *Store) dropDraft() {
	if d := s.draft; d != nil {
		_ = d.file.Close() // of a file that goes
		_ = os.Remove(d.path)
		s.draft = nil
	}
}

// build does operations on a draft of base, and returns what came of each and a
// file with them to push, "" where they changed nothing.
func (s *Store) build(ctx context.Context, base *version, ops []*op, push int64) (map[*op]result, string, error) {
	d, err := s.draftOf(ctx, base)
	if err != nil {
		return nil, "", err
	}
	results := make(map[*op]result, len(ops))
	for _, o := range ops {
		results[o] = o.do(ctx, d.file)
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
	}
	changed, err := d.file.Changed(ctx)
	if err != nil || !changed {
		return results, "", err
	}
	if err := d.file.Seal(ctx, s.writer, push, s.config.size); err != nil {
		return nil, "", err
	}
	path := s.work.file()
	if err := copyFile(ctx, path, d.path, nil); err != nil {
		return nil, "", err
	}
	return results, path, s.checkSize(path, base)
}

// checkSize fails where a file is larger than it may be, unless it makes room.
func (s *Store) checkSize(path string, base *version) error {
	size, err := sizeOf(path)
	if err != nil || size <= s.config.size {
		return err
	}
	if base.mark != "" {
		before, err := sizeOf(base.path)
		if err != nil || size <= before {
			return err
		}
	}
	return errTooLarge
}

func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, localError(err)
	}
	return info.Size(), nil
}

// operation is a change of a file.
type operation func(context.Context, driver.Store) result
