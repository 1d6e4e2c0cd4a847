package cassette

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// suiteOf records a directory with a chat and an embedding.
func suiteOf(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recordings")
	chat := ask("hi")
	chat.Endpoint = "/v1/chat/completions"
	res := Response{Status: 200, Body: []byte(`{"choices": [1]}`), Complete: true}
	embed := ask("x")
	embed.Endpoint, embed.Model = "/v1/embeddings", "text-embedding-3-small"
	record(t, path, Options{}, call(chat, res), call(embed, says("")))
	return path
}

// query asks the index through a connection of its own.
func query(t *testing.T, dir, text string) string {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, indexName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for rows.Next() {
		fields, places := make([]string, len(columns)), make([]any, len(columns))
		for i := range fields {
			places[i] = &fields[i]
		}
		if err := rows.Scan(places...); err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.Join(fields, "|"))
	}
	return strings.Join(out, "\n")
}

func TestTheQueriesOfTheGuideWork(t *testing.T) {
	t.Parallel()
	dir := suiteOf(t)
	got := query(t, dir, "SELECT endpoint, model, timestamp FROM recordings ORDER BY endpoint LIMIT 10;")
	want := "/v1/chat/completions|gpt-4o|2026-01-02T03:04:05.000000000Z\n/v1/embeddings|text-embedding-3-small|2026-01-02T03:04:05.000000000Z"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	file := query(t, dir, "SELECT file FROM recordings WHERE endpoint='/v1/chat/completions';")
	sum := query(t, dir, "SELECT hash FROM recordings WHERE endpoint='/v1/chat/completions';")
	if file != sum+".json" || len(sum) != shortHash {
		t.Errorf("file %q, hash %q", file, sum)
	}
	data, err := os.ReadFile(filepath.Join(dir, responsesName, file))
	if err != nil {
		t.Fatal(err)
	}
	v := mustParse(t, string(data))
	if v.At("response", "body").Text() != `{"choices": [1]}` || v.At("request", "model").Text() != "gpt-4o" {
		t.Errorf("%s", data)
	}
	if sqlite, err := exec.LookPath("sqlite3"); err == nil {
		out, err := exec.Command(sqlite, filepath.Join(dir, indexName), "SELECT endpoint, model, timestamp FROM recordings ORDER BY endpoint LIMIT 10;").CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("sqlite3: %v\n%s", err, out)
		}
	}
	if jq, err := exec.LookPath("jq"); err == nil {
		out, err := exec.Command(jq, "-r", ".response.body, .request.model", filepath.Join(dir, responsesName, file)).CombinedOutput()
		if err != nil || string(out) != "{\"choices\": [1]}\ngpt-4o\n" {
			t.Errorf("jq: %v\n%s", err, out)
		}
	}
}

func TestStreamsHaveTheirBodyInTheDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "d")
	res := Response{Status: 200, Chunks: []Chunk{{Bytes: []byte("data: 1\n\n")}, {Bytes: []byte("data: [DONE]\n\n")}}, Complete: true}
	record(t, dir, Options{}, call(ask("a"), res))
	c, err := begin(t, dir, Options{Mode: Replay}).Lookup(ask("a"))
	if err != nil || string(c.Body) != "data: 1\n\ndata: [DONE]\n\n" || len(c.Chunks) != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, responsesName, callName(c.Hash, 1)))
	if err != nil || mustParse(t, string(data)).At("response", "body").Text() != string(c.Body) {
		t.Errorf("%v: %s", err, data)
	}
}

func TestTheIndexIsDerived(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(t *testing.T, index string){
		"missing":     remove,
		"empty":       func(t *testing.T, index string) { t.Helper(); overwrite(t, index, nil) },
		"no database": func(t *testing.T, index string) { t.Helper(); overwrite(t, index, bytes.Repeat([]byte("x"), 8192)) },
		"half": func(t *testing.T, index string) {
			t.Helper()
			data, _ := os.ReadFile(index)
			overwrite(t, index, data[:len(data)/2])
		},
		"flipped bytes": func(t *testing.T, index string) {
			t.Helper()
			data, _ := os.ReadFile(index)
			copy(data[100:], bytes.Repeat([]byte{0xff}, 2000))
			overwrite(t, index, data)
		},
		"another version": func(t *testing.T, index string) { t.Helper(); change(t, index, "PRAGMA user_version = 99") },
		"without rows":    func(t *testing.T, index string) { t.Helper(); change(t, index, "DELETE FROM recordings") },
		"without table":   func(t *testing.T, index string) { t.Helper(); change(t, index, "DROP TABLE recordings") },
		"invented rows": func(t *testing.T, index string) {
			t.Helper()
			change(t, index, "UPDATE recordings SET file = 'none' || file, sha256 = 'x'")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := suiteOf(t)
			want := query(t, dir, "SELECT * FROM recordings ORDER BY hash")
			harm(t, filepath.Join(dir, indexName))
			c, err := Read(dir)
			if err != nil || c.Len() != 2 {
				t.Fatalf("%v, %v", c, err)
			}
			if got := query(t, dir, "SELECT * FROM recordings ORDER BY hash"); got != want {
				t.Errorf("the index is\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func overwrite(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func change(t *testing.T, index, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", index)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

func TestFilesMayComeGoAndChange(t *testing.T) {
	t.Parallel()
	dir := suiteOf(t)
	files, err := filepath.Glob(filepath.Join(dir, responsesName, "*.json"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	remove(t, files[0])
	data, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, files[1], bytes.Replace(data, []byte(`"node": "answer"`), []byte(`"node": "question"`), 1))
	overwrite(t, filepath.Join(dir, responsesName, "note.txt"), []byte("not ours"))
	if c, err := Read(dir); err != nil || c.Len() != 1 {
		t.Fatal(c, err)
	}
	if got := query(t, dir, "SELECT node FROM recordings"); got != "question" {
		t.Errorf("the index says %q", got)
	}
	overwrite(t, files[1], data[:len(data)/2])
	if _, err := Read(dir); !isOnly(err, ErrTorn) || !strings.Contains(err.Error(), files[1]) {
		t.Errorf("%v", err)
	}
	overwrite(t, files[1], bytes.Replace(data, []byte(`"format": 1`), []byte(`"format": 7`), 1))
	if _, err := Read(dir); !isOnly(err, ErrVersion) {
		t.Errorf("%v", err)
	}
}

func TestTestsShareADirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "d")
	a, b := Options{Suite: "s", Test: "A"}, Options{Suite: "s", Test: "B"}
	record(t, dir, a, call(ask("a1"), says("a1")), call(ask("a2"), says("a2")), call(ask("both"), says("both")))
	record(t, dir, b, call(ask("b1"), says("b1")), call(ask("both"), says("both of B")))
	sameTexts(t, dir, "a1", "a2", "b1", "both of B")
	record(t, dir, a, call(ask("a1"), says("a1 again")))
	sameTexts(t, dir, "a1 again", "b1", "both of B")
}

func TestTwoRecordingsAtOnceKeepBothAnswers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "d")
	record(t, dir, Options{}, call(ask("a"), says("old")), call(ask("a"), says("old too")))
	first, second := begin(t, dir, Options{Mode: Record}), begin(t, dir, Options{Mode: Record})
	add(t, first, ask("a"), says("first"))
	add(t, second, ask("a"), says("second"))
	finish(t, first, true)
	sameTexts(t, dir, "first")
	finish(t, second, true)
	sameTexts(t, dir, "first", "second")
}

func TestADirectoryThatCannotBeWrittenToIsRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := suiteOf(t)
	remove(t, filepath.Join(dir, indexName))
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if c, err := Read(dir); err != nil || c.Len() != 2 {
		t.Fatal(c, err)
	}
}

// TestTwoProcessesLoseNothing has two processes record into one cassette.
func TestTwoProcessesLoseNothing(t *testing.T) {
	t.Parallel()
	const calls = 25
	for name, path := range forms(t) {
		var running []*exec.Cmd
		for _, who := range []string{"a", "b"} {
			cmd := helper(t, "append", path, who, fmt.Sprint(calls))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			running = append(running, cmd)
		}
		for _, cmd := range running {
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if got := texts(t, path); len(got) != 2*calls {
			t.Errorf("%s: %d calls, want %d", name, len(got), 2*calls)
		}
	}
}
