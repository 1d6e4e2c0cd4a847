package storageactions

import (
	"bytes"
	"context"
	"io"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/blob"
	"github.com/tea-agents/tea/internal/content"
	"github.com/tea-agents/tea/value"
)

type readInput struct {
	Path     string `json:"path" doc:"Path or URI of the file." example:"data/countries.csv"`
	Format   string `json:"format" doc:"What content is: text (UTF-8), bytes (in base64), json, or csv with a header (a list of objects)." enum:"text,bytes,json,csv" default:"text"`
	Encoding string `json:"encoding,omitempty" doc:"base64 is the same as format: bytes." enum:"utf-8,base64"`
	MaxBytes int64  `json:"max_bytes" doc:"Larger files are a failure (too_large)." default:"67108864" min:"0"`
}

type readOutput struct {
	Content     value.Value `json:"content" doc:"The content, as format says."`
	Path        string      `json:"path" doc:"The path, with credentials masked."`
	SizeBytes   int64       `json:"size_bytes" doc:"Size of the file."`
	ContentType string      `json:"content_type,omitempty" doc:"Media type; absent when unknown."`
}

// format joins the two ways to ask for base64.
func format(format, encoding string) (string, error) {
	switch {
	case encoding != "base64":
		return format, nil
	case format == "json" || format == "csv":
		return "", actions.Errorf(actions.CodeInvalidInput, "encoding: base64 and format: %s exclude each other", format)
	}
	return "bytes", nil
}

func read(name string) actions.Action {
	return actions.Define(actions.Spec{
		Name: name, Version: 1, Effect: actions.Read,
		Summary: "Reads a file.", Doc: uris,
		Examples: []actions.Example{{
			Title: "Read JSON",
			YAML: `- name: save
  uses: storage.write
  with: {path: "mem://demo/a.json", content: {answer: 42}}
  output: saved
- name: read
  uses: ` + name + `
  with: {path: "mem://demo/a.json", format: json}
  output: file`,
		}},
	}, runRead)
}

func runRead(ctx context.Context, env actions.Env, in readInput) (readOutput, error) {
	how, err := format(in.Format, in.Encoding)
	if err != nil {
		return readOutput{}, err
	}
	r, found, err := env.Storage.Read(ctx, in.Path)
	if err != nil {
		return readOutput{}, err
	}
	defer r.Close() //nolint:errcheck // only read from
	data, err := io.ReadAll(io.LimitReader(r, in.MaxBytes+1))
	if err != nil {
		return readOutput{}, err
	}
	if int64(len(data)) > in.MaxBytes {
		return readOutput{}, actions.Errorf(actions.CodeTooLarge, "read %s: larger than max_bytes (%d)", found.Path, in.MaxBytes)
	}
	decoded, err := content.Decode(data, how)
	if err != nil {
		return readOutput{}, actions.Errorf(actions.CodeInvalidInput, "read %s: %w", found.Path, err)
	}
	return readOutput{
		Content: decoded, Path: found.Path, SizeBytes: int64(len(data)), ContentType: found.ContentType,
	}, nil
}

type writeInput struct {
	Path        string      `json:"path" doc:"Path or URI of the file. Local directories are made as needed." example:"out/report.json"`
	Content     value.Value `json:"content" doc:"What to write: text as it is, anything else as JSON."`
	Format      string      `json:"format,omitempty" doc:"How content is written: text, bytes (content is base64), json, or csv (content is a list of rows)." enum:"text,bytes,json,csv"`
	Encoding    string      `json:"encoding,omitempty" doc:"base64 is the same as format: bytes." enum:"utf-8,base64"`
	Overwrite   bool        `json:"overwrite" doc:"Whether an existing file may be replaced; if not, that is a conflict." default:"true"`
	ContentType string      `json:"content_type,omitempty" doc:"Media type that a bucket is to keep; by the format when absent."`
}

type writeOutput struct {
	Path      string `json:"path" doc:"The path, with credentials masked."`
	SizeBytes int64  `json:"size_bytes" doc:"Size of the file."`
}

func write(name string) actions.Action {
	return actions.Define(actions.Spec{
		Name: name, Version: 1, Effect: actions.Write,
		Summary: "Writes a file.",
		Doc:     uris + "\n\nReaders see the old content or the new one, never a part.",
		Examples: []actions.Example{{
			Title:  "Write a JSON file",
			YAML:   "- name: save\n  uses: " + name + "\n  with: {path: \"mem://demo/a.json\", content: {answer: 42}}",
			Output: `{"path":"mem://demo/a.json","size_bytes":19,"success":true}`,
		}},
	}, runWrite)
}

func runWrite(ctx context.Context, env actions.Env, in writeInput) (writeOutput, error) {
	how, err := format(in.Format, in.Encoding)
	if err != nil {
		return writeOutput{}, err
	}
	data, err := content.Encode(in.Content, how)
	if err != nil {
		return writeOutput{}, actions.Errorf(actions.CodeInvalidInput, "write %s: %w", blob.Redact(in.Path), err)
	}
	if in.ContentType == "" {
		in.ContentType = mediaType(in.Content, how)
	}
	n, err := env.Storage.Write(ctx, in.Path, bytes.NewReader(data), blob.WriteOptions{
		ContentType: in.ContentType, IfNotExist: !in.Overwrite,
	})
	return writeOutput{Path: blob.Redact(in.Path), SizeBytes: n}, err
}

func mediaType(v value.Value, format string) string {
	switch {
	case format == "csv":
		return "text/csv; charset=utf-8"
	case format == "bytes":
		return "application/octet-stream"
	case format == "json" || v.Kind() != value.KindString:
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}
