package cassette

import (
	"errors"
	"math"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/value"
)

func someText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z \n\t:#-]{0,40}`), rapid.SampledFrom([]string{"", "no", "1", "\x00\x1b[0m", "a\r\nb", "\n", "data: {}\n\n"}))
}

func someValue() *rapid.Generator[value.Value] {
	leaf := rapid.OneOf(rapid.Just(value.Null()), rapid.Map(rapid.Bool(), value.Bool), rapid.Map(rapid.Int64(), value.Int),
		rapid.Map(rapid.StringMatching(`[1-9][0-9]{20,40}`), func(s string) value.Value { i, _ := new(big.Int).SetString(s, 10); return value.BigInt(i) }),
		rapid.Map(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), value.Float), rapid.Map(someText(), value.String))
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(leaf, 0, 3), func(l []value.Value) value.Value { return value.List(l...) }),
		rapid.Map(rapid.MapOfN(someText(), leaf, 0, 3), value.Map))
}

func someBytes() *rapid.Generator[[]byte] {
	return rapid.OneOf(rapid.SliceOfN(rapid.Byte(), 0, 30), rapid.Map(someText(), func(s string) []byte { return []byte(s) }))
}

func someDuration() *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.Int64Range(0, math.MaxInt64), func(i int64) time.Duration { return time.Duration(i) })
}

// someCall draws a call of an action or over HTTP, as Add leaves it.
func someCall(t *rapid.T) *Call {
	c := &Call{Request: Request{
		ID: someText().Draw(t, "id"), Node: someText().Draw(t, "node"), Provider: someText().Draw(t, "provider"),
		Model: someText().Draw(t, "model"), Endpoint: someText().Draw(t, "endpoint"), Prompt: someText().Draw(t, "prompt"),
		Key: someValue().Draw(t, "key"),
	}}
	c.Hash, _ = hash(c.Key, nil)
	c.Usage, c.Text = someValue().Draw(t, "usage"), someText().Draw(t, "text")
	c.Complete, c.Duration = rapid.Bool().Draw(t, "complete"), someDuration().Draw(t, "duration")
	c.ToolUses = rapid.SliceOfN(someValue(), 0, 2).Draw(t, "tools")
	c.Raw = someBytes().Draw(t, "raw")
	if rapid.Bool().Draw(t, "failed") {
		c.Failure = &Failure{Code: someText().Draw(t, "code"), Message: someText().Draw(t, "message"), RetryAfter: someDuration().Draw(t, "retry")}
	}
	isHTTP := rapid.Bool().Draw(t, "http")
	for range rapid.IntRange(0, 3).Draw(t, "chunks") {
		chunk := Chunk{After: someDuration().Draw(t, "after")}
		if isHTTP {
			chunk.Bytes = someBytes().Draw(t, "bytes")
		} else {
			chunk.Data = someValue().Draw(t, "data")
		}
		c.Chunks = append(c.Chunks, chunk)
	}
	if !isHTTP {
		c.Output = someValue().Draw(t, "output")
		return c
	}
	c.Status = rapid.IntRange(100, 599).Draw(t, "status")
	c.Header = http.Header{"Content-Type": {someText().Draw(t, "type")}, "Link": {"a", "b"}}
	if c.Body = someBytes().Draw(t, "body"); len(c.Body) == 0 {
		c.Body = joined(c.Chunks)
	}
	return c
}

// plainCall makes calls comparable: values as text, nothing as nil.
func plainCall(c *Call) map[string]any {
	texts := func(vs []value.Value) (all []string) {
		for _, v := range vs {
			all = append(all, v.String())
		}
		return all
	}
	m := map[string]any{
		"request": []string{c.ID, c.Node, c.Provider, c.Model, c.Endpoint, c.Prompt, c.Key.String(), c.Hash},
		"answer":  []string{c.Output.String(), c.Usage.String(), c.Text, string(c.Body), string(c.Raw)},
		"tools":   texts(c.ToolUses), "complete": c.Complete, "duration": c.Duration, "status": c.Status, "header": c.Header,
	}
	if c.Failure != nil {
		m["failure"] = *c.Failure
	}
	for _, chunk := range c.Chunks {
		all, _ := m["chunks"].([]string)
		m["chunks"] = append(all, chunk.After.String(), chunk.Data.String(), string(chunk.Bytes))
	}
	return m
}

func TestEveryCallSurvivesEveryForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Custom(someCall), 1, 3).Draw(t, "calls")
		h := Header{Format: Format, CreatedAt: clock(), Test: someText().Draw(t, "test")}
		for _, path := range []string{"c.yaml", "c.json"} {
			f := &file{path: path, form: formOf(path)}
			data := f.encode(h, want)
			c, err := f.parse(data)
			if err != nil {
				t.Fatalf("%s: %v\n%s", path, err, data)
			}
			whole, err := f.value(data)
			if err != nil {
				t.Fatal(err)
			}
			full, err := f.decode(whole)
			if err != nil || c.Test != h.Test || full.Test != h.Test {
				t.Fatalf("%s: %v, test %q", path, err, c.Test)
			}
			for _, read := range []*Cassette{c, full} {
				got, err := calls(read.entries)
				if err != nil || len(got) != len(want) {
					t.Fatalf("%s: %d calls, %v", path, len(got), err)
				}
				for i := range got {
					if g, w := plainCall(got[i]), plainCall(want[i]); !reflect.DeepEqual(g, w) {
						t.Fatalf("%s: read\n%#v\nwrote\n%#v\n%s", path, g, w, data)
					}
				}
			}
		}
	})
}

func TestEveryCallSurvivesTheDirectory(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(root, "d")
		if err != nil {
			t.Fatal(err)
		}
		d := &directory{path: dir}
		if err := os.Mkdir(d.responses(), 0o700); err != nil {
			t.Fatal(err)
		}
		want := rapid.Custom(someCall).Draw(t, "call")
		if err := d.appendCall(want, Header{}); err != nil {
			t.Fatal(err)
		}
		got, _, err := d.read(callName(want.Hash, 1))
		if err != nil || !reflect.DeepEqual(plainCall(got), plainCall(want)) {
			t.Fatalf("%v: read\n%#v\nwrote\n%#v", err, plainCall(got), plainCall(want))
		}
	})
}

func TestYAMLReadsLikeADocument(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	tools := says("")
	tools.ToolUses = []value.Value{value.Must(map[string]any{"name": "search", "arguments": map[string]any{"q": "go"}})}
	tools.Output = value.Must(map[string]any{"content": ""})
	stream := says("one\ntwo")
	stream.Chunks = []Chunk{{Data: value.Must(map[string]any{"text": "one\n"}), After: time.Millisecond}, {Data: value.Must(map[string]any{"text": "two"}), After: 1500 * time.Microsecond}}
	stream.Usage = value.Must(map[string]any{"total_tokens": 7})
	record(t, path, Options{Suite: "agents", Test: "TestAgent", Tool: "1.2.3"}, call(askAs("n#1", "be brief"), tools), call(ask("line\nline"), stream))
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/document.yaml")
	if err != nil || string(got) != string(want) {
		t.Errorf("%v: wrote\n%s", err, got)
	}
}

func TestSummaryCountsAsTheSeedDoes(t *testing.T) {
	t.Parallel()
	text, tool := &Call{Request: Request{Provider: "x"}, Response: Response{Text: "hi"}}, &Call{Request: Request{Provider: "x"}, Response: Response{Text: "hi", ToolUses: []value.Value{value.Int(1)}}}
	other, silent := &Call{}, &Call{Request: Request{Provider: "x"}}
	for want, calls := range map[string][]*Call{
		"0 LLM calls made.": {},
		"1 LLM call made.\n1 call returned a message response.":                                        {text},
		"3 LLM calls made.\n2 calls returned tool use responses.\n1 call returned a message response.": {tool, text, tool},
		"3 LLM calls made.\n2 calls returned a message response.":                                      {text, silent, text},
		"0 LLM calls made.\n2 other calls made.":                                                       {other, other},
	} {
		if got := summary(calls); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "good.yaml")
	record(t, path, Options{}, call(ask("hi"), says("hello")))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(good)
	for _, c := range []struct {
		name, text string
		kind       error
		says       string
	}{
		{"empty.yaml", "", ErrTorn, "nothing in it"},
		{"blank.json", " \n", ErrTorn, "nothing in it"},
		{"half.yaml", text[:len(text)/2], ErrTorn, "..."},
		{"half.json", `{"format": 1, "calls": [`, ErrTorn, "}"},
		{"other.yaml", "a: 1\n...\n", ErrUnreadable, "format"},
		{"syntax.yaml", "format: 1\na: [1\n...\n", ErrUnreadable, "line"},
		{"syntax.json", `{"format": 1,, "calls": []}`, ErrUnreadable, "1"},
		{"newer.yaml", strings.Replace(text, "format: 1", "format: 2", 1), ErrVersion, "use a newer one"},
		{"newer.json", `{"format": 99, "what": 1}`, ErrVersion, "use a newer one"},
		{"key.yaml", strings.Replace(text, "    prompt:", "    promt:", 1), ErrUnreadable, `did you mean "prompt"?`},
		{"hash.yaml", strings.Replace(text, "    hash: ", "    hash: a", 1), ErrUnreadable, "do not belong together"},
		{"dir.yaml/x.yaml", "", ErrMissing, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := filepath.Join(t.TempDir(), filepath.Base(c.name))
			if !errors.Is(c.kind, ErrMissing) {
				if err := os.WriteFile(p, []byte(c.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := readAll(p)
			if !isOnly(err, c.kind) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), p) {
				t.Errorf("%v, want %v with %q", err, c.kind, c.says)
			}
		})
	}
	if _, err := Read(t.TempDir()); !isOnly(err, ErrMissing) {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := Read(strings.TrimSuffix(path, "good.yaml")); !isOnly(err, ErrMissing) {
		t.Errorf("a directory without responses: %v", err)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(plain); !isOnly(err, ErrUnreadable) || !strings.Contains(err.Error(), ".yaml") {
		t.Errorf("a file without extension: %v", err)
	}
}

// readAll reads a cassette with all its calls.
func readAll(path string) ([]*Call, error) {
	c, err := Read(path)
	if err != nil {
		return nil, err
	}
	return calls(c.entries)
}

// TestEveryTornFileIsFoundOut cuts a file at every byte.
func TestEveryTornFileIsFoundOut(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"c.yaml", "c.json"} {
		path := filepath.Join(t.TempDir(), name)
		record(t, path, Options{}, call(ask("hi"), says("hello\nworld")), call(ask("bye"), says("...")))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := &file{path: path, form: formOf(path)}
		for n := range len(data) - 1 {
			c, err := f.parse(data[:n])
			if err == nil {
				_, err = calls(c.entries)
			}
			if err == nil {
				t.Fatalf("%s: nobody noticed that it was cut after %d of %d bytes", name, n, len(data))
			}
		}
	}
}
