package blob

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// list walks the directory. Links to files are listed as files; links to
// directories are not followed.
func (local) list(ctx context.Context, l location, o ListOptions) (Listing, error) {
	root := strings.TrimRight(l.key, "/")
	if root == "" {
		root = "/"
	}
	info, err := os.Stat(root)
	if err == nil && !info.IsDir() {
		err = invalidf("is not a directory")
	}
	if err != nil {
		return Listing{}, plainError(err)
	}
	w := &walker{ctx: ctx, l: l, root: root, o: o}
	if err := filepath.WalkDir(root, w.visit); err != nil {
		return Listing{}, plainError(err)
	}
	slices.SortFunc(w.found, func(a, b Info) int { return cmp.Compare(a.Path, b.Path) })
	return clip(w.found, o.Limit), nil
}

// walker gathers the entries below root.
type walker struct {
	ctx   context.Context
	l     location
	root  string
	o     ListOptions
	found []Info
}

func (w *walker) visit(path string, d fs.DirEntry, err error) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	if err != nil || path == w.root {
		return err
	}
	rel := strings.TrimPrefix(strings.TrimPrefix(path, w.root), "/")
	if strings.HasPrefix(rel, w.o.Prefix) && (!d.IsDir() || !w.o.Recursive) {
		if entry, ok := localEntry(w.l, path, d); ok {
			w.found = append(w.found, entry)
		}
	}
	if d.IsDir() && (!w.o.Recursive || !overlaps(rel+"/", w.o.Prefix)) {
		return fs.SkipDir
	}
	return nil
}

// overlaps tells whether something below dir can begin with prefix.
func overlaps(dir, prefix string) bool {
	return strings.HasPrefix(dir, prefix) || strings.HasPrefix(prefix, dir)
}

// localEntry describes one entry; false when it is gone meanwhile.
func localEntry(l location, path string, d fs.DirEntry) (Info, bool) {
	if d.IsDir() {
		return Info{Path: l.uri(path) + "/", IsDir: true}, true
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() { // a dangling link, or one to a directory
		if info, err = d.Info(); err != nil {
			return Info{}, false
		}
	}
	entry := localInfo(path, info)
	entry.Path = l.uri(path)
	return entry, true
}

// clip cuts a sorted listing to its limit.
func clip(entries []Info, limit int) Listing {
	if limit > 0 && len(entries) > limit {
		return Listing{Entries: entries[:limit], Truncated: true}
	}
	return Listing{Entries: entries}
}
