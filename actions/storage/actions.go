package storageactions

import (
	"github.com/tea-agents/tea/actions"
)

// Actions returns the actions of the groups storage and file.
func Actions() []actions.Action {
	return []actions.Action{
		hash(), info(), exists(), list(), copyFile(), remove(),
		read("storage.read"), read("file.read"),
		write("storage.write"), write("file.write"),
	}
}

const uris = "A path or URI: `data/x.pdf`, `file:///srv/x.pdf`, `mem://bucket/key`, `s3://bucket/key`, " +
	"`gs://bucket/key`, `az://container/key`, `https://host/x` (reading only)."
