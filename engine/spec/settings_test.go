package spec_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/engine/spec"
)

func expand(t *testing.T, settings string) (spec.Settings, string) {
	t.Helper()
	a, diags := spec.Parse("a.yaml", []byte("settings: "+settings+"\nnodes: [{name: n, run: ''}]\n"))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	env := map[string]string{"DIR": "/data", "N": "7", "EMPTY": ""}
	s, diags := a.Expand(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	return s, diags.Error()
}

func TestExpand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":                   "plain",
		"${DIR}":                  "/data",
		"sqlite://${DIR}/${N}.db": "sqlite:///data/7.db",
		"${NONE:-fall back}":      "fall back",
		"${NONE:-}x":              "x",
		"${EMPTY:-filled}":        "filled",
		"${EMPTY}x":               "x",
		"$${DIR}":                 "${DIR}",
		"$DIR {x}":                "$DIR {x}",
	} {
		s, diags := expand(t, `{ltm: "`+text+`"}`)
		if s.LTM.Value != want || diags != "" {
			t.Errorf("%s is %q, %s; want %q", text, s.LTM.Value, diags, want)
		}
	}
	for text, want := range map[string]string{
		"${NONE}":   "a.yaml:1:18: the environment variable NONE is not set (set it, or give a default: ${NONE:-default})",
		"x${A-B}":   "a.yaml:1:19: \"A-B\" is no name of an environment variable (write `$${` for the text `${`)",
		"\\u0041${": "a.yaml:1:24: `${` has no closing `}` (write `$${` for the text `${`)",
	} {
		if _, diags := expand(t, `{ltm: "`+text+`"}`); diags != want {
			t.Errorf("%s: got %s, want %s", text, diags, want)
		}
	}
}

func TestExpandedScalarsKeepTheirType(t *testing.T) {
	t.Parallel()
	s, diags := expand(t, "\n  limits:\n    max_steps: ${N}\n    run_timeout: ${NONE:-90}\n  cache:\n    plain: ${N}\n    quoted: \"${N}\"")
	if diags != "" || s.Limits.MaxSteps != 7 || s.Limits.RunTimeout != 90*time.Second {
		t.Errorf("got %+v, %s", s.Limits, diags)
	}
	if got := s.Cache.Value().String(); got != `{"plain":7,"quoted":"7"}` {
		t.Errorf("got %s", got)
	}
}

func TestLTM(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]string{
		"{}":                                                       "",
		"{ltm: }":                                                  "",
		"{ltm: agent.db}":                                          "agent.db",
		"{ltm: {url: 'redis://x'}}":                                "redis://x",
		"{ltm: {backend: sqlite, path: a/b.db}}":                   "sqlite:a/b.db",
		"{ltm: {backend: sqlite, path: /a%b}}":                     "sqlite:/a%25b",
		"{ltm: {backend: memory}}":                                 "mem://",
		"{ltm: {backend: duckdb, path: a b.duckdb}}":               "duckdb:a b.duckdb",
		"{ltm: {backend: duckdb, path: '/a%b?'}}":                  "duckdb:/a%25b%3F",
		"{ltm: {backend: duckdb, path: 's3://b/x.duckdb'}}":        "duckdb+s3://b/x.duckdb",
		"{ltm: {backend: firestore, project: p, collection: a b}}": "firestore://p/a%20b",
		"{ltm: {backend: firestore, project: p, collection: m, database: eu-1}}": "firestore://p/m?database=eu-1",
	} {
		if s, diags := expand(t, settings); s.LTM.Value != want || diags != "" {
			t.Errorf("%s is %q, %s; want %q", settings, s.LTM.Value, diags, want)
		}
	}
}

func TestPartsOfTheMemoryFitItsBackend(t *testing.T) {
	t.Parallel()
	for ltm, want := range map[string]string{
		"{backend: redis, url: 'rediss://h'}":                          "",
		"{backend: libsql, url: 'http://localhost:8080'}":              "",
		"{backend: duckdb, url: 'duckdb+s3://b/x'}":                    "",
		"{backend: redis, url: '127.0.0.1:6379'}":                      "this is no URL of the backend redis, which begins with redis: or rediss:",
		"{backend: postgres, url: 'redis://h'}":                        "this is no URL of the backend postgres",
		"{backend: redis}":                                             "the backend redis needs a `url` (such as redis://host:6379/0)",
		"{backend: memory, path: x.db}":                                "the backend memory takes no `path`",
		"{backend: sqlite, path: x.db, url: 'sqlite:y.db'}":            "the backend sqlite with a `url` takes no `path`",
		"{url: 'sqlite:y.db', path: x.db}":                             "a `url` without a `backend` takes no `path`",
		"{backend: sqlite, path: 's3://b/x.db'}":                       "`path` must be the path of a file, this is a URL",
		"{backend: sqlite, path: [x.db]}":                              "`path` must be text, this is a list",
		"{backend: firestore, project: p}":                             "the backend firestore needs a `collection`",
		"{backend: firestore, project: p/q, collection: c}":            "`project` must be the id of a project",
		"{backend: sqlite, blob_uri: 's3://b/x.db'}":                   "takes no `blob_uri`",
		"{url: {backend: sqlite, path: x}}":                            "`url` must be text, this is a map",
		"{path: x.db}":                                                 "`settings.ltm` needs a `backend` or a `url`",
		"{backend: memory, x-note: what begins with x- is the user's}": "",
	} {
		s, diags := expand(t, "{ltm: "+ltm+"}")
		if !strings.Contains(diags, want) || (want == "") != (diags == "") {
			t.Errorf("%s is %q, %s; want %s", ltm, s.LTM.Value, diags, want)
		}
	}
	if _, diags := expand(t, "{ltm: {backend: sqlite, path: ''}}"); strings.Count(diags, "a.yaml") != 1 {
		t.Errorf("one mistake is told as %s", diags)
	}
}
