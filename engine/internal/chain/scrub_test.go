package chain_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/chain"
	"github.com/tea-agents/tea/value"
)

func scrubber(texts ...string) *chain.Scrubber {
	s := &chain.Scrubber{}
	for _, text := range texts {
		s.Add(text)
	}
	return s
}

func TestTextIsScrubbed(t *testing.T) {
	t.Parallel()
	const secret = `p&ss"w/rd 1`
	s := scrubber(secret, "abc") // too short to be looked for
	for name, text := range map[string]string{
		"plain":          secret,
		"within a text":  "key=" + secret + ".",
		"JSON":           fmt.Sprintf("%q", secret),
		"query":          "https://h/?k=" + url.QueryEscape(secret) + "&x=1",
		"path":           "https://h/" + url.PathEscape(secret),
		"base64":         base64.StdEncoding.EncodeToString([]byte(secret)),
		"basic auth":     base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
		"base64, urlish": base64.RawURLEncoding.EncodeToString([]byte("u:" + secret + "~~~")),
	} {
		out := s.Text(text)
		if !strings.Contains(out, value.Mask) {
			t.Errorf("%s: %q stayed %q", name, text, out)
		}
	}
	if got := s.Text("abc, as easy as"); got != "abc, as easy as" {
		t.Errorf("a short secret was replaced: %q", got)
	}
}

// Whoever shows the beginning of a text may cut a secret in two.
func TestCutSecretsAreScrubbed(t *testing.T) {
	t.Parallel()
	s := scrubber("open/sesame")
	for text, want := range map[string]string{
		"said open/ses…":                "said ***…",
		"said open%2fs… and so o… on":   "said ***… and so o… on",
		"open/sesame… or open/sesam…":   "***… or ***…",
		"… ope…":                        "… ope…",
		"open/ses":                      "open/ses",
		`{"said":"{\"k\":\"open\/se…"}`: `{"said":"{\"k\":\"***…"}`,
	} {
		if got := s.Text(text); got != want || s.Text(got) != got {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestLongerSecretWins(t *testing.T) {
	t.Parallel()
	s := scrubber("token", "token-and-more")
	if got := s.Text("<token-and-more>"); got != "<***>" {
		t.Errorf("got %q, want <***>", got)
	}
}

// No text that holds a secret, in whatever encoding, keeps it.
func TestNoSecretSurvives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[a-zA-Z0-9/+&="\\ é]{6,24}`).Draw(t, "secret")
		around := rapid.StringMatching(`[a-z:]{0,7}`)
		plain := around.Draw(t, "before") + secret + around.Draw(t, "after")
		s := scrubber(secret)
		quoted, err := json.Marshal(plain)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			plain, url.QueryEscape(plain), url.PathEscape(plain), value.String(plain).String(),
		} {
			if out := s.Text(text); !strings.Contains(out, value.Mask) {
				t.Fatalf("%q stayed %q (%s)", text, out, quoted)
			}
		}
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
			out := s.Text(enc.EncodeToString([]byte(plain)))
			if decoded, err := enc.DecodeString(out); err == nil && strings.Contains(string(decoded), secret) {
				t.Fatalf("%q can be decoded from %q", secret, out)
			}
		}
	})
}

func TestValueIsScrubbed(t *testing.T) {
	t.Parallel()
	s := scrubber("sesame")
	in := value.Must(map[string]any{"a": []any{"open sesame", 1}, "sesame": map[string]any{"deep": "sesame"}, "n": 5})
	want := value.Must(map[string]any{"a": []any{"open ***", 1}, "***": map[string]any{"deep": "***"}, "n": 5})
	if got := s.Value(in); !value.Equal(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	clean := value.Must(map[string]any{"a": []any{"nothing"}})
	if got := s.Value(clean); !value.Equal(got, clean) {
		t.Errorf("a clean value became %s", got)
	}
}

func TestErrorIsScrubbed(t *testing.T) {
	t.Parallel()
	s := scrubber("sesame")
	inner := errors.New("bad key sesame")
	err := s.Error(actions.Errorf(actions.CodeDenied, "login: %w", inner))
	if got := err.Error(); got != "login: bad key ***" {
		t.Errorf("text %q", got)
	}
	if errors.Is(err, inner) {
		t.Error("the original, with the secret, can still be unwrapped")
	}
	if got := actions.CodeOf(err); got != actions.CodeDenied {
		t.Errorf("code %q, want denied", got)
	}
	clean := actions.Errorf(actions.CodeDenied, "login: %w", errors.ErrUnsupported)
	if !errors.Is(s.Error(clean), errors.ErrUnsupported) {
		t.Error("an error without secrets lost what it wraps")
	}
}

func TestLogIsScrubbed(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := scrubber("sesame")
	log := slog.New(s.Handler(slog.NewTextHandler(&out, nil))).With("with", "sesame").WithGroup("g")
	log.Info("open sesame", "a", "sesame", "err", errors.New("sesame"), slog.Group("in", "b", "sesame"), "n", 7)
	if strings.Contains(out.String(), "sesame") {
		t.Errorf("the log has the secret: %s", &out)
	}
	if got := strings.Count(out.String(), value.Mask); got != 5 {
		t.Errorf("%d places masked, want 5: %s", got, &out)
	}
	if !strings.Contains(out.String(), "g.n=7") {
		t.Errorf("the other attributes are gone: %s", &out)
	}
}
