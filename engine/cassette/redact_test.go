package cassette

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/engine/cassette/internal/redact"
	"github.com/tea-agents/tea/value"
)

// canaries look like credentials; none is one.
func canaries() []string {
	return []string{
		"sk-proj-" + strings.Repeat("Ab1_", 8),
		"sk-ant-api03-" + strings.Repeat("Xy9-", 8),
		"AKIA" + strings.Repeat("Q7", 8),
		"ghp_" + strings.Repeat("aB3", 12),
		"github_pat_" + strings.Repeat("aB3", 12),
		"AIza" + strings.Repeat("Sy-", 12),
		"xoxb-" + strings.Repeat("12", 8),
		"hf_" + strings.Repeat("aB3", 10),
		"eyJ" + strings.Repeat("hbGci", 4) + ".eyJ" + strings.Repeat("zdWIi", 4) + "." + strings.Repeat("c2ln", 8),
		"-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIE", 16) + "\n-----END RSA PRIVATE KEY-----",
		"own-secret-of-the-caller",
	}
}

func maskOwn(s string) string { return strings.ReplaceAll(s, "own-secret-of-the-caller", "***") }

// everywhere is a call with a secret in every place there is.
func everywhere(secret string) Call {
	v := value.Object(value.M("deep", value.List(value.String("say "+secret+" now"))), value.M("key_"+secret, value.Int(1)))
	half := len(secret) / 2
	return Call{
		Request: Request{ID: "i " + secret, Node: "n " + secret, Provider: "p " + secret, Model: "m " + secret, Endpoint: "/e/" + secret + "/", Prompt: "user: " + secret, Key: v},
		Response: Response{
			Output: v, Failure: &Failure{Code: "failed", Message: "bad key " + secret, RetryAfter: time.Second},
			Status: 401, Header: http.Header{"Content-Type": {"x; k=" + secret}, "Authorization": {"Bearer " + secret}, "Set-Cookie": {secret}},
			Body: []byte("\xff\xfe " + secret), Raw: []byte(`{"e":"` + secret + `"}`), Usage: v, Complete: true,
			Chunks: []Chunk{
				{Data: value.Object(value.M("text", value.String("a "+secret[:half]))), Bytes: []byte("data: " + secret[:half])},
				{Data: value.Object(value.M("text", value.String(secret[half:half+2]))), Bytes: []byte(secret[half : half+2])},
				{Data: value.Object(value.M("text", value.String(secret[half+2:]+" b"))), Bytes: []byte(secret[half+2:] + " end")},
			},
			Text: "text " + secret, ToolUses: []value.Value{v},
		},
	}
}

func TestNoSecretIsWrittenAndReplayStillMatches(t *testing.T) {
	t.Parallel()
	for name, path := range forms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []Call
			for _, c := range canaries() {
				all = append(all, everywhere(c))
			}
			record(t, path, Options{Redact: maskOwn}, all...)
			nothingIn(t, path)
			s := begin(t, path, Options{Mode: Replay, Redact: maskOwn})
			for _, c := range all {
				if _, err := s.Lookup(c.Request); err != nil {
					t.Errorf("%s: %v", c.Prompt, err)
				}
			}
			_, err := s.Lookup(Request{Endpoint: canaries()[0] + "/", Key: value.String(canaries()[0])})
			for _, c := range canaries() {
				if strings.Contains(err.Error(), c) {
					t.Errorf("the miss shows %s", c)
				}
			}
		})
	}
}

// nothingIn holds that no file at or below dir has a canary in it.
func nothingIn(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, c := range canaries() {
			for _, form := range []string{c, strings.ReplaceAll(c, "\n", `\n`), fmt.Sprintf("%q", c)} {
				if bytes.Contains(data, []byte(form)) {
					t.Errorf("%s has %q in it", path, c)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSecretsAreMaskedAgainOnEveryRewrite(t *testing.T) {
	t.Parallel()
	for _, path := range []string{filepath.Join(t.TempDir(), "c.yaml"), filepath.Join(t.TempDir(), "c.json")} {
		record(t, path, Options{}, everywhere("a-secret-nobody-knew"))
		mask := func(s string) string { return strings.ReplaceAll(s, "a-secret-nobody-knew", "***") }
		s := begin(t, path, Options{Mode: RecordMissing, Redact: mask})
		add(t, s, ask("a"), says("a"))
		finish(t, s, true)
		data, err := os.ReadFile(path)
		if err != nil || bytes.Contains(data, []byte("a-secret-nobody-knew")) {
			t.Errorf("%v: the secret is still there", err)
		}
		if _, err := begin(t, path, Options{Mode: Replay, Redact: mask}).Lookup(everywhere("a-secret-nobody-knew").Request); err != nil {
			t.Errorf("%v", err)
		}
	}
}

func TestSecretsOfTheEngineTakePartByName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	with := func(name string) Request {
		bearer, _ := value.Concat(value.String("Bearer "), value.Secret(name))
		return Request{Key: value.Object(value.M("auth", bearer), value.M("q", value.String("x")))}
	}
	record(t, path, Options{}, call(with("A"), says("a")), call(with("B"), says("b")))
	s := begin(t, path, Options{Mode: Replay})
	if got := served(t, s, with("B")) + served(t, s, with("A")); got != "ba" {
		t.Errorf("got %q", got)
	}
}

func TestBoundariesOfChunksStay(t *testing.T) {
	t.Parallel()
	secret := canaries()[0]
	for name, c := range map[string]struct{ in, want []string }{
		"nothing to hide": {[]string{"a", "", "b"}, []string{"a", "", "b"}},
		"in one":          {[]string{"a " + secret + " b", "c"}, []string{"a *** b", "c"}},
		"across two":      {[]string{"x", "a " + secret[:10], secret[10:] + " b", "c"}, []string{"x", "a *** b", "", "c"}},
		"every character": {append(append([]string{"a "}, strings.Split(secret, "")...), " b", "c"), nil},
		"two of them":     {[]string{secret[:9], secret[9:] + " " + secret[:9], secret[9:] + "."}, nil},
		"a tail behind":   {[]string{"x ", "Bearer abcdefghijkl", "mnopqrst, ", "end"}, []string{"x ", "Bearer ***, ", "", "end"}},
		"a head before":   {[]string{"Authorization: Bea", "rer abcdefghijkl", "mnopqrst\n", "end"}, []string{"Authorization: Bearer ***\n", "", "", "end"}},
	} {
		got := maskAcross(c.in, redact.Text)
		whole := strings.Join(got, "")
		if len(got) != len(c.in) || strings.Contains(whole, secret[9:]) || redact.Text(strings.Join(c.in, "")) != whole {
			t.Errorf("%s: %q", name, got)
		}
		if c.want != nil && strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestCredentialsAreFoundByTheirKey(t *testing.T) {
	t.Parallel()
	v := value.Must(map[string]any{"api_key": "short", "X-Api-Key": "x", "max_tokens": "5", "password": map[string]any{"type": "string"}, "n": map[string]any{"Authorization": "Basic abc"}})
	got := redact.Value(v, redact.Text).String()
	want := `{"X-Api-Key":"***","api_key":"***","max_tokens":"5","n":{"Authorization":"***"},"password":{"type":"string"}}`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestOrdinaryTextIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"a task-management-system-for-teams", "the bearer of bad news", "see https://example.com/a?b=c&page=2", "AKIA is a prefix", "risk-averse-strategies-explained",
		"basic understanding", "ghost", "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----", "token=***", "Bearer ***", "https://user:***@host",
	} {
		if got := redact.Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	for s, want := range map[string]string{
		"Bearer abcdefghijkl.mno":               "Bearer ***",
		"postgres://joe:hunter2@db/x":           "postgres://joe:***@db/x",
		"https://x.y/z?key=abcdefgh12&b=1":      "https://x.y/z?key=***&b=1",
		`Authorization: Basic am9lOmh1bnRlcjI=`: "Authorization: Basic ***",
		`{"k":"sk-abcdefghijklmnop","b":"x"}`:   `{"k":"***","b":"x"}`,
	} {
		got := redact.Text(s)
		if got != want || redact.Text(got) != got {
			t.Errorf("%q became %q, want %q", s, got, want)
		}
	}
}
