package storageactions

import (
	"context"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/blob"
)

type copyInput struct {
	Source      string `json:"source" doc:"Path or URI to copy from." example:"https://example.org/a.pdf"`
	Destination string `json:"destination" doc:"Path or URI to copy to." example:"s3://bucket/a.pdf"`
	Overwrite   bool   `json:"overwrite" doc:"Whether an existing file may be replaced; if not, that is a conflict." default:"true"`
}

type copyOutput struct {
	Source      string `json:"source" doc:"Where it came from, with credentials masked."`
	Destination string `json:"destination" doc:"Where it is now, with credentials masked."`
	SizeBytes   int64  `json:"size_bytes" doc:"Size of the file."`
}

func copyFile() actions.Action {
	return actions.Define(actions.Spec{
		Name: "storage.copy", Version: 1, Effect: actions.Write,
		Summary: "Copies a file, also from one kind of storage to another.", Doc: uris,
		Examples: []actions.Example{{
			Title: "Copy a file",
			YAML: `- name: save
  uses: storage.write
  with: {path: "mem://demo/a.txt", content: abc}
  output: saved
- name: copy
  uses: storage.copy
  with: {source: "mem://demo/a.txt", destination: "mem://demo/b.txt"}
  output: copied`,
			Output: `{"copied":{"destination":"mem://demo/b.txt","size_bytes":3,"source":"mem://demo/a.txt","success":true},` +
				`"saved":{"path":"mem://demo/a.txt","size_bytes":3,"success":true}}`,
		}},
	}, func(ctx context.Context, env actions.Env, in copyInput) (copyOutput, error) {
		n, err := env.Storage.Copy(ctx, in.Source, in.Destination, blob.WriteOptions{IfNotExist: !in.Overwrite})
		return copyOutput{
			Source: blob.Redact(in.Source), Destination: blob.Redact(in.Destination), SizeBytes: n,
		}, err
	})
}

type deleteInput struct {
	Path      string `json:"path" doc:"Path or URI of the file." example:"s3://bucket/a.pdf"`
	MissingOK bool   `json:"missing_ok,omitempty" doc:"Accept that there is no such file; else that is a failure."`
}

type deleteOutput struct {
	Deleted bool   `json:"deleted" doc:"Whether there was a file."`
	Path    string `json:"path" doc:"The path, with credentials masked."`
}

func remove() actions.Action {
	return actions.Define(actions.Spec{
		Name: "storage.delete", Version: 1, Effect: actions.Write,
		Summary: "Deletes a file.", Doc: uris + "\n\nDirectories are not deleted.",
		Examples: []actions.Example{{
			Title:  "Delete what may not be there",
			YAML:   "- name: delete\n  uses: storage.delete\n  with: {path: \"mem://demo/none.txt\", missing_ok: true}",
			Output: `{"deleted":false,"path":"mem://demo/none.txt","success":true}`,
		}},
	}, func(ctx context.Context, env actions.Env, in deleteInput) (deleteOutput, error) {
		err := env.Storage.Delete(ctx, in.Path)
		out := deleteOutput{Deleted: err == nil, Path: blob.Redact(in.Path)}
		if in.MissingOK && blob.Code(err) == "not_found" {
			return out, nil
		}
		return out, err
	})
}
