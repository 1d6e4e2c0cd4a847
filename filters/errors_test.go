package filters_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/value"
)

// Each case is a source and the whole error, place and hint included, that
// compiling it gives.
var compileErrors = []struct{ src, want string }{
	{`{{ x`, `1:5: "}}" is missing`},
	{`{{ }}`, `1:4: expected a value, found the end`},
	{`{{ 1 + }}`, `1:8: expected a value, found the end`},
	{`{{ (1 }}`, `1:7: unexpected "}", expected ')'`},
	{`{{ 1) }}`, `1:5: unexpected ")": no bracket is open`},
	{`{{ a b }}`, `1:6: expected the end of the expression, found "b"`},
	{`{{ a = 1 }}`, `1:6: expected the end of the expression, found "=" (to compare, write ==)`},
	{`{{ a && b }}`, `1:6: unexpected character '&' (write: and)`},
	{`{{ !a }}`, `1:4: unexpected character '!' (write: not)`},
	{`{{ 'abc }}`, `1:4: the string is not closed: ' is missing`},
	{`{{ "\xZZ" }}`, `1:5: the escape \x takes 2 hex digits`},
	{`{{ 1abc }}`, `1:5: unexpected 'a' after the number 1`},
	{`{{ 1e999 }}`, `1:4: 1e999 is not a finite number`},
	{`{{ null }}`, `1:4: unknown name "null" (write: none)`},
	{`{{ x | sha265 }}`, `1:8: unknown filter "sha265" (did you mean "sha256"?)`},
	{`{{ x | strip }}`, `1:8: unknown filter "strip" (there is a method: ....strip())`},
	{`{{ x | safe }}`, `1:8: unknown filter "safe" (nothing is escaped here, so it is not needed)`},
	{`{{ x | }}`, `1:8: expected the name of a filter, found the end`},
	{`{{ x is definde }}`, `1:9: unknown test "definde" (did you mean "defined"?)`},
	{`{{ x is divisibleby }}`, `1:9: the test "divisibleby" takes 1 arguments, not 0`},
	{`{{ x is defined is none }}`, `1:17: tests cannot be chained with is (join them by and)`},
	{`{{ x.itms() }}`, `1:6: unknown method "itms" (did you mean "items"?)`},
	{`{{ x.append(1) }}`, `1:6: unknown method "append" (values cannot be changed in a template; build a new one, as in list + [x])`},
	{`{{ rnage(3) }}`, `1:4: unknown function "rnage" (did you mean "range"?)`},
	{`{{ upper(x) }}`, `1:4: unknown function "upper" (it is a filter: write ... | upper)`},
	{`{{ 1(2) }}`, `1:4: only functions and methods can be called`},
	{`{{ x | truncate(1, 2, 3, 4, 5) }}`, `1:29: truncate takes at most 4 arguments, not 5`},
	{`{{ x | truncate(lenght=1) }}`, `1:17: truncate has no argument "lenght" (did you mean "length"?)`},
	{`{{ x | truncate(1, length=2) }}`, `1:20: the argument length of truncate is given twice`},
	{`{{ x | replace("a") }}`, `1:8: replace needs the argument new`},
	{`{{ x | join(d=1, 2) }}`, `1:18: an argument without a name stands after one with a name`},
	{`{{ f(*x) }}`, `1:6: arguments cannot be unpacked with * here`},
	{`{{ x[1:2:3:4] }}`, `1:11: a slice has at most three parts`},
	{`{{ x[] }}`, `1:6: expected an index, found "]"`},
	{`{# x`, `1:1: the comment is not closed: #} is missing`},
	{`{% if x %}a`, `1:1: {% if %} has no {% endif %}`},
	{`{% for x in y %}a`, `1:1: {% for %} has no {% endfor %}`},
	{`{% raw %}a`, `1:1: {% raw %} has no {% endraw %}`},
	{`a{% endif %}`, `1:5: {% endif %} has nothing that it belongs to`},
	{"{% if x %}\n{% endfor %}{% endif %}", `2:4: {% endfor %} has nothing that it belongs to (1:1: the open tag is {% if %})`},
	{`{% if x %}{% else %}{% else %}{% endif %}`, `1:24: {% else %} has nothing that it belongs to (1:1: the open tag is {% if %})`},
	{`{% else %}`, `1:4: {% else %} has nothing that it belongs to`},
	{`{% for x y %}{% endfor %}`, `1:10: expected "in", found "y"`},
	{`{% for 1 in y %}{% endfor %}`, `1:8: expected a name, found 1`},
	{`{% for true in y %}{% endfor %}`, `1:8: "true" cannot be used as a name`},
	{`{% for x in y recursive %}{% endfor %}`, `1:15: loops cannot be recursive here`},
	{`{% set 1 = 2 %}`, `1:8: expected a name, found 1`},
	{`{% elseif x %}`, `1:4: the tag "elseif" does not exist here (write: elif)`},
	{`{% fro x in y %}`, `1:4: the tag "fro" does not exist here (did you mean "for"?)`},
	{`{% %}`, `1:4: expected the name of a tag, found the end`},
	{`{% include "/etc/passwd" %}`, `1:4: the tag "include" does not exist here (a template reads no files; put the text into variables, or use a step before)`},
	{`{% cycle "a" %}`, `1:4: the tag "cycle" does not exist here (write: {{ loop.cycle(a, b) }})`},
	{"grün {{ é }}\n  {{ x | nope_nope }}", `2:10: unknown filter "nope_nope"`},
}

func TestCompileErrors(t *testing.T) {
	t.Parallel()
	set := filters.Default()
	for _, c := range compileErrors {
		_, err := set.Compile(c.src)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\n got %v\nwant %s", c.src, err, c.want)
		}
		var one *filters.Error
		if !errors.As(err, &one) {
			t.Errorf("%s: a %T is no *Error", c.src, err)
		}
	}
}

func TestBannedTags(t *testing.T) {
	t.Parallel()
	set := filters.Default()
	for tag := range strings.FieldsSeq("include import from extends ssi macro call cycle ifchanged lorem block filter " +
		"autoescape with do break continue spaceless now templatetag widthratio firstof ifequal verbatim comment") {
		_, err := set.Compile("{% " + tag + " x %}")
		if err == nil || !strings.Contains(err.Error(), "does not exist here") {
			t.Errorf("%s: %v", tag, err)
		}
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := filters.Default().Compile("{{ a | nope }} {{ 'x }}\n{% if %}{{ b.nope() }}{% fi %}")
	var all filters.Errors
	if !errors.As(err, &all) {
		t.Fatalf("got %T: %v", err, err)
	}
	var places []string
	for _, e := range all {
		places = append(places, strings.SplitN(e.Error(), ": ", 2)[0])
	}
	if got := strings.Join(places, " "); got != "1:8 1:19 2:1 2:7 2:14 2:26" {
		t.Errorf("got %s\n%v", got, err)
	}
}

// Each case is a source and the whole error that running it gives.
var runErrors = []struct{ src, want string }{
	{`Hi {{ state.nmae }}`, `1:13: state.nmae is missing (did you mean "name"?)`},
	{`Hi {{ stat.name }}`, `1:7: stat is missing, so it has no .name (did you mean "state"?)`},
	{`{{ state.missing.deep }}`, `1:10: state.missing is missing, so it has no .deep (if it may be missing, say what then: | default(…))`},
	{`{{ state.usr["name"] }}`, `1:10: state.usr is missing, so nothing in it can be looked up (did you mean "user"?)`},
	{`{{ state.user.mail | default("x") }}{{ state.user.mail }}`, `1:51: state.user.mail is missing (did you mean "email"?)`},
	{`{{ state.usr.items() }}`, `1:10: state.usr is missing, so it has no .items() (did you mean "user"?)`},
	{`x{{ state["nam"] }}`, `1:11: state["nam"] is missing (did you mean "name"?)`},
	{`x{{ state.tags[9] }}`, `1:16: state.tags[9] is missing (if it may be missing, say what then: | default(…))`},
	{`{{ state.quary | lower | sha256 }}`, `1:10: state.quary is missing, so it cannot be piped into lower (if it may be missing, say what then: | default(…))`},
	{`{{ state.nothing | sha256 }}`, `1:20: state.nothing is null, so it cannot be piped into sha256 (if it may be null, say what then: | default(…))`},
	{`{{ state.user.get("x") | upper }}`, `1:26: the value is null, so it cannot be piped into upper (if it may be null, say what then: | default(…))`},
	{`{{ state.nothing.get("x") }}`, `1:18: state.nothing is null, which has no .get() (if it may be null, say what then: | default(…))`},
	{`{{ state.name.items() }}`, `1:15: state.name is a string, which has no .items()`},
	{`{% for x in state.tagz %}{% endfor %}`, `1:19: state.tagz is missing, so there is nothing to loop over (did you mean "tags"?)`},
	{`{% for x in state.nothing %}{% endfor %}`, `1:13: expected a list, an object or a string, found null (if it may be null, say what then: | default([]))`},
	{`{% for k, v in state.prices %}{% endfor %}`, `1:8: 2 names cannot take 5 elements: "apple" (to loop over keys and values, write: for key, value in x.items())`},
	{`{{ 1 / 0 }}`, `1:6: division by zero`},
	{`{{ 1.5 % 0 }}`, `1:8: division by zero`},
	{`{{ 1e308 * 10 }}`, `1:10: the result is not a finite number`},
	{`{{ "a" + 1 }}`, `1:8: a string and an integer cannot be added (to join text, use ~)`},
	{`{{ "a" - 1 }}`, `1:8: - needs a number, not a string (convert text with | int or | float)`},
	{`{{ 1 < "2" }}`, `1:6: an integer and a string have no order`},
	{`{{ 1 in 5 }}`, `1:6: expected a list, an object or a string to look in, found an integer`},
	{`{{ "x" in state.nope }}`, `1:17: state.nope is missing, so nothing can be looked for in it`},
	{`{{ state.nope > 5 }}`, `1:10: state.nope is missing, so it cannot be compared`},
	{`{{ "x" ~ state.nope }}`, `1:16: state.nope is missing`},
	{`a{{ [] | first }}`, `1:10: the first element of what is empty is missing`},
	{`a{{ ("x" if false) | upper }}`, `1:22: the value of an if without else is missing, so it cannot be piped into upper`},
	{`{{ [{"a": 1}, {"b": 2}] | map(attribute="a") }}`, `1:27: the attribute "a" of an element is missing`},
	{`{{ [1, none] | map("upper") }}`, `1:16: an element is null, so it cannot be piped into upper (leave such elements out: | select)`},
	{`{{ ["a"] | map("uper") }}`, `1:12: unknown filter "uper" (did you mean "upper"?)`},
	{`{{ [1] | select("od") }}`, `1:10: unknown test "od" (did you mean "odd"?)`},
	{`{{ "x" | replace(1) | replace("a", state.nope) }}`, `1:10: replace needs the argument new`},
	{`{{ "x" | truncate("5") }}`, `1:10: the argument length must be an integer, not a string`},
	{`{{ "{" | fromjson }}`, `1:10: the text is not JSON: `},
	{`{{ "f.txt" | storage_hash }}`, "1:14: storage_hash reads a file, which works only inside `with:`"},
	{`{{ "%d" | format("x") }}`, `1:11: the format "d" needs a number, not a string`},
	{`{{ "%s %s" | format("x") }}`, `1:14: the format uses more than the 1 values that are given`},
	{`{% set x = 1 %}{% set x.y = 2 %}`, `1:23: "x" is no namespace, so its attributes cannot be set (begin with {% set x = namespace(y=…) %})`},
}

func TestRunErrors(t *testing.T) {
	t.Parallel()
	set, scope := filters.Default(), stateScope(t)
	for _, c := range runErrors {
		_, err := renderText(t, set, c.src, scope)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.src, err, c.want)
		}
		var one *filters.Error
		if !errors.As(err, &one) {
			t.Errorf("%s: a %T is no *Error", c.src, err)
		}
	}
}

func TestErrorPlaceCountsCharacters(t *testing.T) {
	t.Parallel()
	_, err := renderText(t, filters.Default(), "über\ngrün {{ 1 / 0 }}", filters.MapScope{})
	var e *filters.Error
	if !errors.As(err, &e) || e.Line != 2 || e.Col != 11 || e.Offset != 17 {
		t.Errorf("got %+v", e)
	}
}

// Alone, what is missing is null, and default replaces missing and null.
func TestMissingAndNull(t *testing.T) {
	t.Parallel()
	set, scope := filters.Default(), stateScope(t)
	for src, want := range map[string]string{
		`{{ state.missing }}`:                       `null`,
		`{{ nowhere }}`:                             `null`,
		`{{ state.nothing }}`:                       `null`,
		`{{ state.nothing.x }}`:                     `null`,
		`{{ state.missing | default(5) }}`:          `5`,
		`{{ state.nothing | default(5) }}`:          `5`,
		`{{ state.missing | default(state.nope) }}`: `null`,
		`{{ state.missing | tojson }}`:              `"null"`,
		`{{ state.missing | length }}`:              `0`,
		`{{ state.nothing | length }}`:              `0`,
		`{{ state.missing is defined }}`:            `false`,
		`{{ state.nothing is defined }}`:            `true`,
		`{{ state.nothing is none }}`:               `true`,
		`{{ state.tags[7] }}`:                       `null`,
		`{{ [] | first }}`:                          `null`,
		`{{ [state.missing] }}`:                     `[null]`,
		`{{ {"a": state.missing} }}`:                `{"a":null}`,
		`{{ 1 if false }}`:                          `null`,
		`{{ state.user.get("x") }}`:                 `null`,
	} {
		v, err := render(t, set, src, scope)
		if err != nil || v.String() != want {
			t.Errorf("%s: got %s %v, want %s", src, v, err, want)
		}
	}
}

func render(tb testing.TB, set *filters.Set, src string, scope filters.Scope) (value.Value, error) {
	tb.Helper()
	tpl, err := set.Compile(src)
	if err != nil {
		return value.Null(), err
	}
	return tpl.Render(tb.Context(), scope)
}
