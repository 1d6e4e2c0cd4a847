package csvactions

import (
	"context"
	"io"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/blob"
	"github.com/tea-agents/tea/internal/content"
	"github.com/tea-agents/tea/value"
)

// Actions returns the actions of the group csv.
func Actions() []actions.Action {
	return []actions.Action{parse(), read(), stringify(), write()}
}

// dialect is what reading and writing have in common.
type dialect struct {
	Delimiter string   `json:"delimiter" doc:"What separates fields: one character, or tab." default:","`
	Header    bool     `json:"has_header" doc:"Whether the first line names the columns." default:"true"`
	Columns   []string `json:"columns,omitempty" doc:"Names of the columns. Reading: instead of those in the header. Writing: which ones, in which order."`
}

func (d dialect) csv() (content.CSV, error) {
	r, err := content.Delimiter(d.Delimiter)
	if err != nil {
		return content.CSV{}, invalid(err)
	}
	return content.CSV{Delimiter: r, Header: d.Header, Columns: d.Columns}, nil
}

func invalid(err error) error {
	return &actions.Error{Code: actions.CodeInvalidInput, Err: err}
}

type parseInput struct {
	Text string `json:"text,omitempty" doc:"The CSV text. Give either text or path."`
	Path string `json:"path,omitempty" doc:"Path or URI of a CSV file. Give either text or path." example:"data/countries.csv"`
	dialect
	MaxBytes int64 `json:"max_bytes" doc:"Larger files are a failure (too_large)." default:"67108864" min:"0"`
}

type readInput struct {
	Path string `json:"path" doc:"Path or URI of the CSV file." example:"data/countries.csv"`
	dialect
	MaxBytes int64 `json:"max_bytes" doc:"Larger files are a failure (too_large)." default:"67108864" min:"0"`
}

type table struct {
	Rows     []value.Value `json:"rows" doc:"One object of strings for each line; a list of strings where the columns have no names."`
	Headers  []string      `json:"headers" doc:"Names of the columns in the order of the file; empty where they have none."`
	RowCount int           `json:"row_count" doc:"Number of rows."`
}

const format = "Fields are strings; convert them where they are used. Every line must have as many fields as the first one. " +
	"Empty lines are left out."

func parse() actions.Action {
	return actions.Define(actions.Spec{
		Name: "csv.parse", Version: 1, Effect: actions.Read,
		Summary: "Reads rows from CSV text or a CSV file.", Doc: format,
		Examples: []actions.Example{{
			Title:  "Parse text",
			YAML:   "- name: parse\n  uses: csv.parse\n  with: {text: \"name,age\\nAda,36\\n\"}",
			Output: `{"headers":["name","age"],"row_count":1,"rows":[{"age":"36","name":"Ada"}],"success":true}`,
		}},
	}, func(ctx context.Context, env actions.Env, in parseInput) (table, error) {
		switch {
		case in.Path != "" && in.Text != "":
			return table{}, actions.Errorf(actions.CodeInvalidInput, "give either text or path, not both")
		case in.Path != "":
			return runRead(ctx, env, readInput{Path: in.Path, dialect: in.dialect, MaxBytes: in.MaxBytes})
		}
		return rows(in.dialect, in.Text)
	})
}

func rows(d dialect, text string) (table, error) {
	c, err := d.csv()
	if err != nil {
		return table{}, err
	}
	t, err := c.Parse(text)
	if err != nil {
		return table{}, invalid(err)
	}
	return table{Rows: t.Rows, Headers: t.Headers, RowCount: len(t.Rows)}, nil
}

func read() actions.Action {
	return actions.Define(actions.Spec{
		Name: "csv.read", Version: 1, Effect: actions.Read,
		Summary: "Reads rows from a CSV file.", Doc: format,
		Examples: []actions.Example{{
			Title: "Read what was written",
			YAML: `- name: save
  uses: csv.write
  with: {path: "mem://demo/a.csv", data: [{name: Ada, age: 36}]}
  output: saved
- name: read
  uses: csv.read
  with: {path: "mem://demo/a.csv"}
  output: people`,
			Output: `{"people":{"headers":["age","name"],"row_count":1,"rows":[{"age":"36","name":"Ada"}],"success":true},` +
				`"saved":{"path":"mem://demo/a.csv","row_count":1,"size_bytes":16,"success":true}}`,
		}},
	}, runRead)
}

func runRead(ctx context.Context, env actions.Env, in readInput) (table, error) {
	r, info, err := env.Storage.Read(ctx, in.Path)
	if err != nil {
		return table{}, err
	}
	defer r.Close() //nolint:errcheck // only read from
	data, err := io.ReadAll(io.LimitReader(r, in.MaxBytes+1))
	if err != nil {
		return table{}, err
	}
	if int64(len(data)) > in.MaxBytes {
		return table{}, actions.Errorf(actions.CodeTooLarge, "read %s: larger than max_bytes (%d)", info.Path, in.MaxBytes)
	}
	text, err := content.Text(data)
	if err != nil {
		return table{}, actions.Errorf(actions.CodeInvalidInput, "read %s: %w", info.Path, err)
	}
	t, err := rows(in.dialect, text)
	if err != nil {
		return table{}, actions.Errorf(actions.CodeOf(err), "read %s: %w", info.Path, err)
	}
	return t, nil
}

type stringifyInput struct {
	Data []value.Value `json:"data" doc:"Rows: objects, or lists of cells. Null is an empty cell; lists and objects are written as JSON."`
	dialect
}

type stringifyOutput struct {
	Text     string `json:"text" doc:"The CSV text; lines end in a line feed."`
	RowCount int    `json:"row_count" doc:"Number of rows."`
}

func stringify() actions.Action {
	return actions.Define(actions.Spec{
		Name: "csv.stringify", Version: 1, Effect: actions.Pure,
		Summary: "Writes rows as CSV text.",
		Doc:     "Without `columns` these are all keys of all rows, sorted.",
		Examples: []actions.Example{{
			Title:  "Choose columns and their order",
			YAML:   "- name: text\n  uses: csv.stringify\n  with: {data: [{name: Ada, age: 36}], columns: [name, age]}",
			Output: `{"row_count":1,"success":true,"text":"name,age\nAda,36\n"}`,
		}},
	}, func(_ context.Context, _ actions.Env, in stringifyInput) (stringifyOutput, error) {
		text, err := text(in)
		return stringifyOutput{Text: text, RowCount: len(in.Data)}, err
	})
}

func text(in stringifyInput) (string, error) {
	c, err := in.csv()
	if err != nil {
		return "", err
	}
	out, err := c.Format(in.Data)
	if err != nil {
		return "", invalid(err)
	}
	return out, nil
}

type writeInput struct {
	Path string `json:"path" doc:"Path or URI of the file." example:"out/people.csv"`
	stringifyInput
	Overwrite bool `json:"overwrite" doc:"Whether an existing file may be replaced; if not, that is a conflict." default:"true"`
}

type writeOutput struct {
	Path      string `json:"path" doc:"The path, with credentials masked."`
	SizeBytes int64  `json:"size_bytes" doc:"Size of the file."`
	RowCount  int    `json:"row_count" doc:"Number of rows."`
}

func write() actions.Action {
	return actions.Define(actions.Spec{
		Name: "csv.write", Version: 1, Effect: actions.Write,
		Summary: "Writes rows to a CSV file.",
		Doc:     "Without `columns` these are all keys of all rows, sorted.",
		Examples: []actions.Example{{
			Title:  "Write a file",
			YAML:   "- name: save\n  uses: csv.write\n  with: {path: \"mem://demo/a.csv\", data: [{name: Ada}]}",
			Output: `{"path":"mem://demo/a.csv","row_count":1,"size_bytes":9,"success":true}`,
		}},
	}, func(ctx context.Context, env actions.Env, in writeInput) (writeOutput, error) {
		out, err := text(in.stringifyInput)
		if err != nil {
			return writeOutput{}, err
		}
		n, err := env.Storage.Write(ctx, in.Path, strings.NewReader(out), blob.WriteOptions{
			ContentType: "text/csv; charset=utf-8", IfNotExist: !in.Overwrite,
		})
		return writeOutput{Path: blob.Redact(in.Path), SizeBytes: n, RowCount: len(in.Data)}, err
	})
}
