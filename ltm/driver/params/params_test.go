package params_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/driver/params"
)

// all is a configuration with a parameter of each kind.
type all struct {
	yes   bool
	many  int
	wait  time.Duration
	size  int64
	level string
}

func read(t *testing.T, query string) (all, error) {
	t.Helper()
	c := all{many: 3, wait: time.Minute, size: 5, level: "low"}
	p := params.Read(&url.URL{Scheme: "x", Host: "h", RawQuery: query})
	p.Bool("yes", &c.yes)
	p.Int("many", &c.many, 1, 10)
	p.Duration("wait", &c.wait, params.Bounds{Most: 90 * time.Minute, Unit: time.Millisecond})
	p.Duration("pause", &c.wait, params.Bounds{Least: time.Millisecond, Most: time.Hour})
	p.Size("size", &c.size, 4<<30)
	p.OneOf("level", &c.level, "low", "high")
	return c, p.Err()
}

func TestRead(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]all{
		"":                       {many: 3, wait: time.Minute, size: 5, level: "low"},
		"yes=true&many=10":       {yes: true, many: 10, wait: time.Minute, size: 5, level: "low"},
		"wait=250&level=high":    {many: 3, wait: 250 * time.Millisecond, size: 5, level: "high"},
		"pause=1h&size=4GiB":     {many: 3, wait: time.Hour, size: 4 << 30, level: "low"},
		"wait=0&size=64KB":       {many: 3, size: 64_000, level: "low"},
		"yes=0&size=1&other=any": {many: 3, wait: time.Minute, size: 1, level: "low"},
	} {
		got, err := read(t, query)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", query, got, err, want)
		}
	}
}

func TestWrong(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"yes=maybe":                   `yes is "maybe", not true or false`,
		"many=0":                      `many is "0", not a number from 1 to 10`,
		"many=":                       `many is "", not a number from 1 to 10`,
		"wait=soon":                   `wait is "soon", not a duration from 0s to 1h30m such as 2s`,
		"wait=-1":                     "not a duration",
		"pause=5":                     `pause is "5", not a duration from 1ms to 1h such as 2s`,
		"size=5GiB":                   `size is "5GiB", not a number of bytes up to 4GiB such as 64MiB`,
		"size=0":                      "not a number of bytes",
		"size=1XiB":                   "not a number of bytes",
		"size=9223372036854775807GiB": "not a number of bytes",
		"level=hihg":                  `level is "hihg", not one of low, high, did you mean "high"?`,
		"many=x&yes=y":                `many is "x"`,
		"%zz=secret":                  "the parameters cannot be read",
	} {
		_, err := read(t, query)
		if !errors.Is(err, driver.ErrConfig) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want one that holds %s", query, err, want)
		}
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"x:///a/b.db":   "/a/b.db",
		"x:/a/b%3Fc.db": "/a/b?c.db",
		"x::memory:":    params.InMemory,
		"x:":            "the path is missing, as in x:a.db",
		"x:///a/":       "the path /a/ is that of a folder",
		"x://me:pw@h/a": "an X file takes no user and password",
		"x:///a%00b":    "the path holds a NUL character",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		got, err := params.File(u, "an X file", "x:a.db")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
	}
}
