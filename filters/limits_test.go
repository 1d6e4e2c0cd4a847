package filters_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/value"
)

// Whatever a template does, it ends soon, in bounded memory, with an error
// that says which limit it met.
func TestLimits(t *testing.T) {
	t.Parallel()
	set := filters.Default()
	for src, want := range map[string]string{
		`{{ range(100001) }}`:                                           "range of more than 100000 elements",
		`{{ range(0, 9223372036854775807) }}`:                           "range of more than",
		`{{ "a" * 99999999999 }}`:                                       "larger than 10 MiB",
		`{{ "a" * (2 ** 70) }}`:                                         "larger than 10 MiB",
		`{{ [0] * 99999999999 }}`:                                       "more than 1000000 elements",
		`{{ 10 ** 1000000 }}`:                                           "the integer is too large",
		`{{ (10 ** 10000) ** 100 }}`:                                    "the integer is too large",
		`{{ "a" | center(999999999) }}`:                                 "larger than 10 MiB",
		`{{ "a".ljust(999999999) }}`:                                    "larger than 10 MiB",
		`{{ "a" | indent(999999999) }}`:                                 "larger than 10 MiB",
		`{{ "%999999999d" % 1 }}`:                                       "larger than 10 MiB",
		`{{ "{:999999999}".format(1) }}`:                                "larger than 10 MiB",
		`{{ ("a" * 1000000).replace("a", "a" * 1000) }}`:                "larger than 10 MiB",
		`{{ ("a" * 1000000) | regex_replace("a", "bbbbbbbbbbbbbbb") }}`: "larger than 10 MiB",
		`{{ (["a" * 1000000] * 1000) | join }}`:                         "larger than 10 MiB",
		`{{ (["a" * 1000000] * 1000) | tojson }}`:                       "larger than 10 MiB",
		`{{ [[[["a"] * 1000] * 1000] * 1000] * 1000 }}`:                 "larger than 64 MiB",
		`x{{ [[[["a"] * 1000] * 1000] * 1000] * 1000 }}`:                "larger than 10 MiB",
		`{{ [[[["a"] * 1000] * 1000] * 1000] * 1000 == [[[["a"] * 1000] * 1000] * 1000] * 1000 }}`:                       "more than 5000000 steps",
		`{{ ([[[["a"] * 1000] * 1000] * 1000] * 1000) | sha256 }}`:                                                       "larger than 64 MiB",
		`{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}`:                               "more than 5000000 steps",
		`{% for a in range(100000) %}{% for b in range(1000) %}` + strings.Repeat("x", 200) + `{% endfor %}{% endfor %}`: "larger than 10 MiB",
		`{% set n = namespace(l=[]) %}{% for a in range(1000) %}{% set n.l = [n.l, n.l] %}{% endfor %}`:                  "larger than 64 MiB",
		`{% set n = namespace(l=[]) %}{% for a in range(1000) %}{% set n.l = [n.l] %}{% endfor %}`:                       "nested more than 500 deep",
		`{% set n = namespace(s="ab") %}{% for a in range(1000) %}{% set n.s = n.s ~ n.s %}{% endfor %}`:                 "larger than 10 MiB",
		`{% set n = namespace(s="ab") %}{% for a in range(1000) %}{% set n.s = n.s + n.s %}{% endfor %}`:                 "larger than 10 MiB",
		`{% set n = namespace(i=3) %}{% for a in range(1000) %}{% set n.i = n.i * n.i %}{% endfor %}`:                    "the integer is too large",
		`{{ ` + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300) + ` }}`:                                        "brackets are nested",
		`{{ ` + strings.Repeat("not ", 300) + `1 }}`:                                                                     "nested more than 200 deep",
		`{{ ` + strings.Repeat("-", 300) + `1 }}`:                                                                        "nested more than 200 deep",
		`{{ ` + strings.Repeat("1 if 1 else ", 300) + `1 }}`:                                                             "nested more than 200 deep",
		`{{ 1` + strings.Repeat(" + 1", 20000) + ` }}`:                                                                   "more than 20000 words",
		strings.Repeat("{% if 1 %}", 300):                                                                                "tags are nested",
		`{% set s = secret %}` + strings.Repeat("{% set s = s ~ s %}", 40) + `{{ s }}`:                                   "larger than 10 MiB",
	} {
		_, err := render(t, set, src, filters.MapScope{"secret": value.Secret("S")})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.120s\n got %.200v\nwant %s", src, err, want)
		}
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	set := filters.Default()
	for _, src := range []string{
		`{% for a in range(100000) %}{{ now }}{% endfor %}`,
		`{{ range(100000) | map("slow") | list }}`,
		`{{ 1 }}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			set := set
			if strings.Contains(src, "slow") {
				var err error
				set, err = filters.NewSet(filters.Filter{Name: "slow", Apply: slow})
				if err != nil {
					t.Fatal(err)
				}
			}
			tpl, err := set.Compile(src)
			if err != nil {
				t.Fatal(err)
			}
			if src == `{{ 1 }}` {
				time.Sleep(2 * time.Second)
			}
			_, err = tpl.Render(ctx, slowScope{})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", src, err)
			}
		})
	}
}

func slow(_ context.Context, in value.Value, _ filters.Args) (value.Value, error) {
	time.Sleep(time.Millisecond)
	return in, nil
}

// slowScope takes its time for every name.
type slowScope struct{}

func (slowScope) Lookup(string) (value.Value, bool) {
	time.Sleep(time.Millisecond)
	return value.Int(1), true
}

// The cause of a cancelled context can be seen through the error.
func TestCancelCause(t *testing.T) {
	t.Parallel()
	cause := errors.New("the user went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	x, err := filters.Default().CompileExpr("1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = x.Eval(ctx, filters.MapScope{}); !errors.Is(err, cause) || !strings.Contains(err.Error(), "the user went away") {
		t.Errorf("got %v", err)
	}
}
