package csvactions_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tea-agents/tea/actions"
	csvactions "github.com/tea-agents/tea/actions/csv"
	"github.com/tea-agents/tea/internal/blob"
	"github.com/tea-agents/tea/internal/grouptest"
)

func TestParse(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	for _, tt := range []struct{ input, want string }{
		{`{"text": "a,b\n1,\"x, \"\"y\"\"\"\n"}`, `{"headers":["a","b"],"row_count":1,"rows":[{"a":"1","b":"x, \"y\""}],"success":true}`},
		{`{"text": "\ufeffa\tb\r\n\r\n1\t2", "delimiter": "tab"}`, `{"headers":["a","b"],"row_count":1,"rows":[{"a":"1","b":"2"}],"success":true}`},
		{`{"text": "a\tb", "delimiter": "\\t", "has_header": false}`, `{"headers":[],"row_count":1,"rows":[["a","b"]],"success":true}`},
		{`{"text": "1;2", "delimiter": ";", "has_header": false, "columns": ["x", "y"]}`, `{"headers":["x","y"],"row_count":1,"rows":[{"x":"1","y":"2"}],"success":true}`},
		{`{"text": "a,b\n1,2", "columns": ["x", "y"]}`, `{"headers":["x","y"],"row_count":1,"rows":[{"x":"1","y":"2"}],"success":true}`},
		{`{"text": ""}`, `{"headers":[],"row_count":0,"rows":[],"success":true}`},
		{`{"text": "a,b\n"}`, `{"headers":["a","b"],"row_count":0,"rows":[],"success":true}`},
	} {
		a.Yields("csv.parse", tt.input, tt.want)
	}
}

func TestParseRefusals(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	for _, tt := range []struct{ input, want string }{
		{`{"text": "a,b\n1,2,3\n"}`, "line 2"},
		{`{"text": "a,b\n1,\"2\n"}`, "CSV line"},
		{`{"text": "a,a\n1,2\n"}`, `"a" is there twice`},
		{`{"text": "a,b\n1,2\n", "columns": ["x"]}`, "line 2 has 2 fields, expected 1"},
		{`{"text": "a", "delimiter": "||"}`, "one character or tab"},
		{`{"text": "a", "delimiter": "\n"}`, "one character or tab"},
		{`{"text": "a", "path": "x.csv"}`, "either text or path"},
	} {
		a.Fails("csv.parse", tt.input, actions.CodeInvalidInput, tt.want)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := newAgent(t, func(e *actions.Env) { e.Storage = blob.New(&blob.Options{Dir: dir}) })
	a.Yields("csv.write", `{"path": "out/a.tsv", "delimiter": "\t", "data": [{"n": 1, "s": "x"}, {"s": null, "o": {"k": [true]}}]}`,
		`{"path":"out/a.tsv","row_count":2,"size_bytes":30,"success":true}`)
	raw, err := os.ReadFile(filepath.Join(dir, "out/a.tsv"))
	if want := "n\to\ts\n1\t\tx\n\t\"{\"\"k\"\":[true]}\"\t\n"; err != nil || string(raw) != want {
		t.Errorf("%q %v", raw, err)
	}
	for _, action := range []string{"csv.read", "csv.parse"} {
		a.Yields(action, `{"path": "out/a.tsv", "delimiter": "\t"}`, `{"headers":["n","o","s"],"row_count":2,`+
			`"rows":[{"n":"1","o":"","s":"x"},{"n":"","o":"{\"k\":[true]}","s":""}],"success":true}`)
	}
	a.Fails("csv.read", `{"path": "none.csv"}`, actions.CodeNotFound, "read none.csv: not found")
	a.Fails("csv.read", `{"path": "out/a.tsv", "max_bytes": 3}`, actions.CodeTooLarge, "max_bytes (3)")
	a.Fails("csv.read", `{"path": "out/a.tsv", "delimiter": ",", "columns": ["x", "y"]}`, actions.CodeInvalidInput, "read out/a.tsv: CSV line 2")
	a.Fails("csv.write", `{"path": "out/a.tsv", "data": [], "overwrite": false}`, actions.CodeConflict, "exists already")
}

func TestStringify(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.Yields("csv.stringify", `{"data": [{"b": 1.5, "a": true}], "columns": ["b", "a"]}`, `{"row_count":1,"success":true,"text":"b,a\n1.5,true\n"}`)
	a.Yields("csv.stringify", `{"data": [["x", 1]], "has_header": false}`, `{"row_count":1,"success":true,"text":"x,1\n"}`)
	a.Fails("csv.stringify", `{"data": [["x", 1]], "columns": ["a"]}`, actions.CodeInvalidInput, "row 0: has 2 cells for 1 columns")
	a.Fails("csv.stringify", `{"data": [{"a": 1}, "x"]}`, actions.CodeInvalidInput, "row 1: is a string")
}

func newAgent(t *testing.T, change func(*actions.Env)) *grouptest.Agent {
	t.Helper()
	return grouptest.New(t, csvactions.Actions(), change)
}
