package storageactions

import (
	"context"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/blob"
)

type hashInput struct {
	Path      string `json:"path" doc:"Path or URI of the file." example:"s3://bucket/report.pdf"`
	Algorithm string `json:"algorithm" doc:"Hash algorithm; blake2b is BLAKE2b-512." enum:"sha256,md5,blake2b" default:"sha256"`
}

type hashOutput struct {
	Hash      string `json:"hash" doc:"The hash in lower-case hex."`
	Algorithm string `json:"algorithm" doc:"The algorithm used."`
	SizeBytes int64  `json:"size_bytes" doc:"Size of the file."`
	Path      string `json:"path" doc:"The path, with credentials masked."`
}

func hash() actions.Action {
	return actions.Define(actions.Spec{
		Name: "storage.hash", Version: 1, Effect: actions.Read,
		Summary: "Computes the hash of a file's content.",
		Doc:     uris + "\n\nThe file is streamed: memory does not grow with its size.",
		Examples: []actions.Example{{
			Title: "Hash a file",
			YAML: `- name: save
  uses: storage.write
  with: {path: "mem://demo/a.txt", content: abc}
  output: saved
- name: hash
  uses: storage.hash
  with: {path: "mem://demo/a.txt", algorithm: md5}
  output: file`,
			Output: `{"file":{"algorithm":"md5","hash":"900150983cd24fb0d6963f7d28e17f72","path":"mem://demo/a.txt",` +
				`"size_bytes":3,"success":true},"saved":{"path":"mem://demo/a.txt","size_bytes":3,"success":true}}`,
		}},
	}, func(ctx context.Context, env actions.Env, in hashInput) (hashOutput, error) {
		sum, size, err := env.Storage.Hash(ctx, in.Path, in.Algorithm)
		return hashOutput{Hash: sum, Algorithm: in.Algorithm, SizeBytes: size, Path: blob.Redact(in.Path)}, err
	})
}

type pathInput struct {
	Path string `json:"path" doc:"Path or URI of the file." example:"data/report.pdf"`
}

type fileInfo struct {
	Path        string `json:"path" doc:"The path, with credentials masked."`
	SizeBytes   int64  `json:"size_bytes" doc:"Size of the file; -1 when the server does not say."`
	Modified    string `json:"modified,omitempty" doc:"When it was changed last, in RFC 3339; absent when unknown."`
	ETag        string `json:"etag,omitempty" doc:"The storage's mark of this content; absent when it has none."`
	ContentType string `json:"content_type,omitempty" doc:"Media type; absent when unknown."`
	IsDir       bool   `json:"is_dir,omitempty" doc:"True for a directory in a listing."`
}

func describe(i blob.Info) fileInfo {
	out := fileInfo{Path: i.Path, SizeBytes: i.Size, ETag: i.ETag, ContentType: i.ContentType, IsDir: i.IsDir}
	if !i.ModTime.IsZero() {
		out.Modified = i.ModTime.UTC().Format(time.RFC3339Nano)
	}
	return out
}

func info() actions.Action {
	return actions.Define(actions.Spec{
		Name: "storage.info", Version: 1, Effect: actions.Read,
		Summary: "Describes a file without reading it.", Doc: uris,
		Examples: []actions.Example{{
			Title: "Look at a file",
			YAML: `- name: save
  uses: storage.write
  with: {path: "mem://demo/a.txt", content: abc}
- name: look
  uses: storage.info
  with: {path: "mem://demo/a.txt"}`,
		}},
	}, func(ctx context.Context, env actions.Env, in pathInput) (fileInfo, error) {
		found, err := env.Storage.Stat(ctx, in.Path)
		return describe(found), err
	})
}

type existsOutput struct {
	Exists bool   `json:"exists" doc:"Whether there is a file."`
	Path   string `json:"path" doc:"The path, with credentials masked."`
}

func exists() actions.Action {
	return actions.Define(actions.Spec{
		Name: "storage.exists", Version: 1, Effect: actions.Read,
		Summary: "Tells whether a file is there.",
		Doc:     uris + "\n\nNot being able to tell is a failure.",
		Examples: []actions.Example{{
			Title:  "Ask for a file",
			YAML:   "- name: ask\n  uses: storage.exists\n  with: {path: \"mem://demo/none.txt\"}",
			Output: `{"exists":false,"path":"mem://demo/none.txt","success":true}`,
		}},
	}, func(ctx context.Context, env actions.Env, in pathInput) (existsOutput, error) {
		ok, err := env.Storage.Exists(ctx, in.Path)
		return existsOutput{Exists: ok, Path: blob.Redact(in.Path)}, err
	})
}

type listInput struct {
	Path      string `json:"path" doc:"Path or URI of the directory, with or without a slash at its end." example:"s3://bucket/data/"`
	Recursive bool   `json:"recursive,omitempty" doc:"List all files below, and no directories."`
	Prefix    string `json:"prefix,omitempty" doc:"Only what begins so, below the directory."`
	Limit     int    `json:"limit" doc:"At most so many entries." default:"1000" min:"1" max:"100000"`
	Detail    bool   `json:"detail,omitempty" doc:"Describe each file, in place of its path alone."`
}

type listOutput struct {
	Files     []string   `json:"files" doc:"Paths, sorted; that of a directory ends in a slash."`
	Details   []fileInfo `json:"details,omitempty" doc:"With detail: what each file is, in the same order."`
	Count     int        `json:"count" doc:"Number of entries."`
	Truncated bool       `json:"truncated" doc:"Whether there are more than the limit."`
}

func list() actions.Action {
	return actions.Define(actions.Spec{
		Name: "storage.list", Version: 1, Effect: actions.Read,
		Summary: "Lists the files of a directory.",
		Doc:     uris + "\n\nBuckets have no directories: a name that nothing lies under is an empty listing.",
		Examples: []actions.Example{{
			Title: "List a directory",
			YAML: `- name: save
  uses: storage.write
  with: {path: "mem://demo/in/a.txt", content: abc}
  output: saved
- name: list
  uses: storage.list
  with: {path: "mem://demo/in"}
  output: listing`,
			Output: `{"listing":{"count":1,"files":["mem://demo/in/a.txt"],"success":true,"truncated":false},` +
				`"saved":{"path":"mem://demo/in/a.txt","size_bytes":3,"success":true}}`,
		}},
	}, runList)
}

func runList(ctx context.Context, env actions.Env, in listInput) (listOutput, error) {
	found, err := env.Storage.List(ctx, in.Path, blob.ListOptions{
		Recursive: in.Recursive, Prefix: in.Prefix, Limit: in.Limit,
	})
	if err != nil {
		return listOutput{}, err
	}
	out := listOutput{Count: len(found.Entries), Truncated: found.Truncated}
	for _, e := range found.Entries {
		out.Files = append(out.Files, e.Path)
		if in.Detail {
			out.Details = append(out.Details, describe(e))
		}
	}
	return out, nil
}
