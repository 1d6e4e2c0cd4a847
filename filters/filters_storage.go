package filters

import (
	"context"

	"github.com/tea-agents/tea/value"
)

// StorageHash returns the SHA-256, in hex, of the content of the file at path,
// which may be a URI.
type StorageHash func(ctx context.Context, path string) (string, error)

type storageHashKey struct{}

// WithStorageHash returns a context in which the filter storage_hash works: it
// calls hash. Everywhere else it is an error.
func WithStorageHash(ctx context.Context, hash StorageHash) context.Context {
	return context.WithValue(ctx, storageHashKey{}, hash)
}

func storageFilters() []Filter {
	return []Filter{{
		Name:    "storage_hash",
		Doc:     "The SHA-256 of the content of the file that the input names by path or URI. It reads the file and works inside `with:` only.",
		Example: `{{ "notes.txt" | storage_hash }} => 0d5c1e…`,
		Apply: func(ctx context.Context, in value.Value, _ Args) (value.Value, error) {
			path, ok := in.AsString()
			if !ok || path == "" {
				return in, failf("storage_hash needs the path of a file, not %s", clip(in.String()))
			}
			hash, ok := ctx.Value(storageHashKey{}).(StorageHash)
			if !ok || hash == nil {
				return in, failf("storage_hash reads a file, which works only inside `with:`").
					withHint("compute it there, or in a node of its own with storage.hash")
			}
			digest, err := hash(ctx, path)
			if err != nil {
				return in, &fault{off: -1, msg: err.Error(), err: err}
			}
			return value.String(digest), nil
		},
	}}
}
