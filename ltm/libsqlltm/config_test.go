package libsqlltm

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
)

func TestParse(t *testing.T) {
	t.Setenv(envToken, "of-the-environment")
	const fromEnv = "of-the-environment"
	tests := map[string]config{
		"libsql://db.turso.io":                        {"https://db.turso.io", fromEnv},
		"turso://db-org.turso.io?authToken=t.o-k_en":  {"https://db-org.turso.io", "t.o-k_en"},
		"turso://db.turso.io?tls=1":                   {"https://db.turso.io", fromEnv},
		"libsql://localhost:8080?tls=0&authToken=abc": {"http://localhost:8080", "abc"},
		"http+libsql://127.0.0.1:8080":                {"http://127.0.0.1:8080", fromEnv},
		"https+libsql://example.com/db/one/":          {"https://example.com/db/one", fromEnv},
		"http+libsql://[::1]:8080/?authToken=":        {"http://[::1]:8080", fromEnv},
	}
	for raw, want := range tests {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := parse(u); err != nil || got != want {
			t.Errorf("%s is %+v, %v; want %+v", raw, got, err, want)
		}
	}
}

// Everything wrong with a URL is told at once, and never its token.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"libsql://":                 {"the server is missing"},
		"libsql:db":                 {"the server is missing"},
		"libsql://user:secret@host": {"no user and password", "authToken"},
		"turso://host?tls=yes":      {`tls is "yes", not one of 0, 1`},
		"libsql://host?authToken=secret%0d%0aHeader:": {"a character that no token has"},
		"libsql://?tls=2&authToken=secret%20#part":    {"the server is missing", "tls", "no token has", "after #"},
	}
	for raw, wants := range tests {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Opener(u)
		if !errors.Is(err, driver.ErrConfig) {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %q does not tell %q, or tells a secret", raw, err, want)
			}
		}
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  serverError
		want error
	}{
		{serverError{Code: "SQLITE_BUSY"}, driver.ErrUnavailable},
		{serverError{Code: "SQLITE_IOERR_READ"}, driver.ErrUnavailable},
		{serverError{Code: "STREAM_EXPIRED"}, driver.ErrUnavailable},
		{serverError{Code: "TRANSACTION_TIMEOUT"}, driver.ErrUnavailable},
		{serverError{Code: "SQLITE_IOERR_WRITE"}, driver.ErrFull},
		{serverError{Code: "SQLITE_FULL"}, driver.ErrFull},
		{serverError{Code: "SQLITE_TOOBIG"}, driver.ErrFull},
		{serverError{Code: "ARGS_INVALID", Message: "string or blob too big"}, driver.ErrFull},
		{serverError{Code: "ARGS_INVALID", Message: "too few"}, nil},
		{serverError{Code: "SQLITE_READONLY_DBMOVED"}, driver.ErrReadOnly},
		{serverError{Code: "BLOCKED"}, driver.ErrReadOnly},
		{serverError{Code: "SQLITE_CORRUPT_INDEX"}, driver.ErrCorrupt},
		{serverError{Code: "SQLITE_NOTADB"}, driver.ErrCorrupt},
		{serverError{Code: "SQLITE_FULLER"}, nil},
		{serverError{status: 401}, driver.ErrUnavailable},
		{serverError{status: 413}, driver.ErrFull},
		{serverError{status: 429}, driver.ErrUnavailable},
		{serverError{status: 502}, driver.ErrUnavailable},
	}
	for _, test := range tests {
		if got := kind(&test.err); got != test.want { //nolint:errorlint // it is the very one
			t.Errorf("%v is %v, want %v", &test.err, got, test.want)
		}
	}
}
