package storageactions

import (
	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/blob"
)

// Actions returns the actions of the groups storage and file.
func Actions() []actions.Action {
	return []actions.Action{
		hash(), info(), exists(), list(), copyFile(), remove(),
		read("storage.read"), read("file.read"),
		write("storage.write"), write("file.write"),
	}
}

// coded gives an error of package blob the code that actions fail with.
func coded(err error) error {
	if code := blob.Code(err); code != "" {
		return &actions.Error{Code: actions.Code(code), Err: err}
	}
	return err
}

const uris = "A path or URI: `data/x.pdf`, `file:///srv/x.pdf`, `mem://bucket/key`, `s3://bucket/key`, " +
	"`gs://bucket/key`, `az://container/key`, `https://host/x` (reading only)."
