package storageactions_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tea-agents/tea/actions"
	storageactions "github.com/tea-agents/tea/actions/storage"
	"github.com/tea-agents/tea/internal/blob"
	"github.com/tea-agents/tea/internal/grouptest"
)

func TestHash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newAgent(t, func(e *actions.Env) { e.Storage = blob.New(&blob.Options{Dir: dir}) })
	a.Yields("storage.hash", `{"path": "a.txt"}`, `{"algorithm":"sha256",`+
		`"hash":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","path":"a.txt","size_bytes":3,"success":true}`)
	a.Yields("actions.storage_hash", `{"path": "file://`+dir+`/a.txt", "algorithm": "md5"}`, `{"algorithm":"md5",`+
		`"hash":"900150983cd24fb0d6963f7d28e17f72","path":"file://`+dir+`/a.txt","size_bytes":3,"success":true}`)
	a.Fails("storage.hash", `{"path": "a.txt", "algorithm": "sha265"}`, actions.CodeInvalidInput, `did you mean "sha256"?`)
	a.Fails("storage.hash", `{"path": "none.txt"}`, actions.CodeNotFound, "read none.txt: not found")
	a.Fails("storage.hash", `{"path": "ftp://h/x"}`, actions.CodeUnsupported, "known are az,")
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ write, raw, read, content string }{
		{`"content": "tëa"`, "tëa", `"format": "text"`, `"tëa"`},
		{`"content": {"n": 9007199254740993}`, "{\n  \"n\": 9007199254740993\n}\n", `"format": "json"`, `{"n":9007199254740993}`},
		{`"content": "x", "format": "json"`, "\"x\"\n", `"format": "json"`, `"x"`},
		{`"content": "/wA=", "format": "bytes"`, "\xff\x00", `"encoding": "base64"`, `"/wA="`},
		{`"content": [{"b": "2", "a": "1"}], "format": "csv"`, "a,b\n1,2\n", `"format": "csv"`, `[{"a":"1","b":"2"}]`},
		{`"content": null`, "null\n", `"format": "json"`, `null`},
	} {
		a := newAgent(t, nil)
		for _, group := range []string{"storage", "file"} {
			if _, err := a.Call(group+".write", `{"path": "mem://b/f", `+tt.write+`}`); err != nil {
				t.Errorf("%s: %v", tt.write, err)
			}
			if sum, err := a.Call("storage.info", `{"path": "mem://b/f"}`); err != nil || sum.At("size_bytes").String() != strconv.Itoa(len(tt.raw)) {
				t.Errorf("%s: %v %v", tt.write, sum, err)
			}
			got, err := a.Call(group+".read", `{"path": "mem://b/f", `+tt.read+`}`)
			if err != nil || got.At("content").String() != tt.content {
				t.Errorf("%s, read: %s %v", tt.write, got, err)
			}
		}
	}
}

func TestReadRefusals(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	if _, err := a.Call("file.write", `{"path": "mem://b/bin", "content": "/wA=", "encoding": "base64"}`); err != nil {
		t.Fatal(err)
	}
	a.Fails("file.read", `{"path": "mem://b/bin"}`, actions.CodeInvalidInput, "format: bytes")
	a.Fails("file.read", `{"path": "mem://b/bin", "max_bytes": 1}`, actions.CodeTooLarge, "larger than max_bytes (1)")
	a.Fails("file.read", `{"path": "mem://b/bin", "format": "json", "encoding": "base64"}`, actions.CodeInvalidInput, "exclude")
	a.Fails("file.read", `{"path": "mem://b/none"}`, actions.CodeNotFound, "mem://b/none: not found")
	a.Fails("file.write", `{"path": "mem://b/x", "content": [1], "format": "text"}`, actions.CodeInvalidInput, "is a string, not a list")
	a.Fails("file.write", `{"path": "mem://b/x", "content": "!", "format": "bytes"}`, actions.CodeInvalidInput, "not base64")
	a.Fails("storage.write", `{"path": "https://u:hush@h/x", "content": ""}`, actions.CodeUnsupported, "***@h/x")
}

func TestOverwriteFalseIsAConflict(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.Yields("storage.write", `{"path": "mem://b/once", "content": "1", "overwrite": false}`,
		`{"path":"mem://b/once","size_bytes":1,"success":true}`)
	a.Fails("storage.write", `{"path": "mem://b/once", "content": "2", "overwrite": false}`, actions.CodeConflict, "exists already")
	a.Fails("storage.copy", `{"source": "mem://b/once", "destination": "mem://b/once", "overwrite": false}`, actions.CodeConflict, "exists already")
}

func TestListDeleteExists(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	for _, name := range []string{"b.txt", "a.txt", "d/c.txt"} {
		if _, err := a.Call("storage.write", `{"path": "mem://b/`+name+`", "content": "x"}`); err != nil {
			t.Fatal(err)
		}
	}
	a.Yields("storage.list", `{"path": "mem://b"}`,
		`{"count":3,"files":["mem://b/a.txt","mem://b/b.txt","mem://b/d/"],"success":true,"truncated":false}`)
	a.Yields("storage.list", `{"path": "mem://b/", "recursive": true, "limit": 2}`,
		`{"count":2,"files":["mem://b/a.txt","mem://b/b.txt"],"success":true,"truncated":true}`)
	got, err := a.Call("storage.list", `{"path": "mem://b", "prefix": "a", "detail": true}`)
	if d := got.At("details"); err != nil || d.Len() != 1 || d.Index(0).At("size_bytes").String() != "1" || d.Index(0).At("modified").Text() == "" {
		t.Errorf("%s %v", got, err)
	}
	a.Yields("storage.delete", `{"path": "mem://b/a.txt"}`, `{"deleted":true,"path":"mem://b/a.txt","success":true}`)
	a.Fails("storage.delete", `{"path": "mem://b/a.txt"}`, actions.CodeNotFound, "not found")
	a.Yields("storage.exists", `{"path": "mem://b/a.txt"}`, `{"exists":false,"path":"mem://b/a.txt","success":true}`)
	a.Fails("storage.exists", `{"path": "s3://"}`, actions.CodeInvalidInput, "no bucket")
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := a.Run(ctx, &actions.Call{Action: "storage.list"})
	if actions.CodeOf(err) != actions.CodeCanceled {
		t.Errorf("%v", err)
	}
}

func TestWithoutStorage(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(e *actions.Env) { e.Storage = nil })
	a.Fails("storage.exists", `{"path": "x"}`, actions.CodeUnavailable, "there is no storage here")
}

func newAgent(t *testing.T, change func(*actions.Env)) *grouptest.Agent {
	t.Helper()
	return grouptest.New(t, storageactions.Actions(), change)
}
