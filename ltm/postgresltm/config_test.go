package postgresltm_test

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/postgresltm"
)

func TestURLsThatAreWrong(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"postgres:db":                                       "must be followed by //",
		"postgres://h/a/b":                                  "not the name of one database",
		"postgres://h/db#x":                                 "%23",
		"postgres://h/db?sslmode=requir":                    `did you mean "require"?`,
		"postgres://h/db?target_session_attrs=":             "not one of any, read-write",
		"postgres://h/db?prepared=maybe":                    "prepared is \"maybe\", not true or false",
		"postgres://h/db?readonly=2":                        "readonly",
		"postgres://h/db?connect_timeout=soon":              "not a duration",
		"postgres://h/db?connect_timeout=0":                 "not a duration",
		"postgres://h/db?max_conns=0":                       "from 1 to 1000",
		"postgres://h/db?schema=":                           "not a name of 1 to 63 bytes",
		"postgres://h/db?schema=" + strings.Repeat("x", 64): "not a name of 1 to 63 bytes",
		"postgres://h/db?max_conns=x&readonly=y":            "readonly",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		_, err = postgresltm.Opener(u)
		if !errors.Is(err, driver.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want one that holds %s", raw, err, want)
		}
	}
}

func TestURLsOfTheMux(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"postgres://u:p@h:1/db?sslmode=verify-full&sslrootcert=a&sslcert=b&sslkey=c&application_name=x",
		"postgresql:///db?host=/var/run/postgresql&port=5433&target_session_attrs=primary",
		"postgres://h/db?connect_timeout=10&max_conns=2&prepared=false&readonly=true&schema=my%20own",
	} {
		m, err := builtin.Mux().Lazy(raw, nil)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	_, err := builtin.Mux().Lazy("postgres://h/db?statement_timeout=3", nil)
	if !errors.Is(err, ltm.ErrConfig) {
		t.Errorf("an unknown parameter: %v", err)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	for raw, kind := range map[string]error{
		"postgres://u:hush@127.0.0.1:1/db?sslmode=disable":    driver.ErrUnavailable,
		"postgres://u:hush@db.invalid/db?connect_timeout=1":   driver.ErrUnavailable,
		"postgres://u:hush@h/db?sslmode=verify-ca&sslkey=/no": driver.ErrConfig,
	} {
		start := time.Now()
		_, err := builtin.Mux().Open(t.Context(), raw, nil)
		if !errors.Is(err, kind) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v, want %v", raw, err, kind)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: it took %v", raw, took)
		}
	}
}

func TestWhyItCannotConnectStandsOnOneLine(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	u := &url.URL{Scheme: "postgres", User: url.UserPassword("tea", "hidden"), Host: l.Addr().String(), Path: "/tea"}
	_, err = postgresltm.Open(t.Context(), u)
	if !errors.Is(err, driver.ErrUnavailable) {
		t.Fatalf("got %v", err)
	}
	if text := err.Error(); strings.Contains(text, "\n") || strings.Contains(text, "hidden") || strings.Count(text, "refused") != 1 {
		t.Errorf("got %s", text)
	}
}
