package duckdbltm_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/tea-agents/tea/cmd/tea-duckdb/duckdbltm"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
)

func TestURLsThatAreWrong(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"duckdb:":                      "the path is missing",
		"duckdb:///":                   "a folder",
		"duckdb:///a/":                 "a folder",
		"duckdb://ada:secret@host/a":   "no user and password",
		"duckdb:a%3Fb":                 "question mark",
		"duckdb:a%00b":                 "NUL",
		"duckdb:a?busy_timeout=x":      "not a duration from 0s to 1h",
		"duckdb:a?threads=0":           "not a number from 1 to 256",
		"duckdb:a?memory_limit=much":   "not a number of bytes",
		"duckdb:a?readonly=no&threads": "not a number from 1 to 256",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = duckdbltm.Opener(u); !errors.Is(err, driver.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%v shows a password", err)
		}
	}
}

func TestRegisterKnowsEveryScheme(t *testing.T) {
	t.Parallel()
	var m ltm.Mux
	duckdbltm.Register(&m)
	want := "duckdb duckdb+az duckdb+file duckdb+gs duckdb+mem duckdb+s3"
	for _, scheme := range strings.Fields(want) {
		if !strings.Contains(strings.Join(m.Schemes(), " "), scheme) {
			t.Errorf("%s is not among %v", scheme, m.Schemes())
		}
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	f, err := driver.Inspect(t.Context(), openURL(t, "duckdb::memory:"))
	if err != nil || !strings.HasPrefix(f.Product, "DuckDB 1.") || f.Format != 1 || f.Newest != 1 {
		t.Errorf("got %+v, %v", f, err)
	}
}
