package schema_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

type auth struct {
	User  string `json:"user" doc:"Who."`
	Realm string `json:"realm" doc:"Where." default:"main"`
}

type paging struct {
	Size int `json:"size" doc:"Of a page." default:"10"`
}

type common struct {
	Trace bool `json:"trace,omitempty" doc:"Say more."`
}

type request struct {
	common
	URL     string                 `json:"url" doc:"Address." min:"1" example:"https://example.org"`
	Method  string                 `json:"method" doc:"Method." enum:"GET,POST" default:"GET"`
	Retries int                    `json:"retries,omitempty" doc:"Attempts." min:"0" max:"10"`
	Factor  *float64               `json:"factor" doc:"Backoff."`
	Timeout time.Duration          `json:"timeout" doc:"Bound." default:"30s" max:"1h"`
	Tags    []string               `json:"tags,omitempty" doc:"Labels." enum:"a,b" max:"3"`
	Headers map[string]string      `json:"headers,omitempty" doc:"Headers."`
	Body    value.Value            `json:"body,omitempty" doc:"Anything."`
	Args    map[string]value.Value `json:"args,omitempty" doc:"Free."`
	Auth    auth                   `json:"auth,omitempty" doc:"Credentials."`
	Paging  paging                 `json:"paging,omitempty" doc:"Pages."`
	Steps   []auth                 `json:"steps,omitempty" doc:"Nested."`
	Unless  string                 `json:"unless,omitempty" doc:"Condition." mode:"expr"`
	Key     schema.Rendered        `json:"key,omitempty" doc:"Late." mode:"late"`
}

func object[T any](tb testing.TB) *schema.Object {
	tb.Helper()
	o, err := schema.For[T]()
	if err != nil {
		tb.Fatal(err)
	}
	return o
}

func parse(tb testing.TB, text string) value.Value {
	tb.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func TestDecodeConvertsWhatLosesNothing(t *testing.T) {
	t.Parallel()
	var r request
	in := parse(t, `{"trace":"true","url":5,"retries":"3","factor":"2","timeout":"10m","tags":["a"],
		"headers":{"n":1.5},"body":[1,1.0],"args":{"x":null},"auth":{"user":true},"unless":true,"key":7}`)
	if err := object[request](t).Decode(in, &r); err != nil {
		t.Fatal(err)
	}
	if !r.Trace || r.URL != "5" || r.Method != "GET" || r.Retries != 3 || *r.Factor != 2 ||
		r.Timeout != 10*time.Minute || r.Headers["n"] != "1.5" || r.Auth != (auth{"true", "main"}) || r.Unless != "true" {
		t.Errorf("got %+v", r)
	}
	if !value.Equal(r.Body, parse(t, `[1,1.0]`)) || !value.Equal(r.Key.Value, value.Int(7)) || len(r.Args) != 1 {
		t.Errorf("got %+v", r)
	}
}

func TestAbsentAndNullTakeDefaults(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"url":"u"}`, `{"url":"u","method":null,"timeout":null,"factor":null,"auth":null,"tags":null}`} {
		var r request
		if err := object[request](t).Decode(parse(t, text), &r); err != nil {
			t.Fatal(err)
		}
		if r.Method != "GET" || r.Timeout != 30*time.Second || r.Factor != nil || r.Auth != (auth{}) || r.Paging.Size != 10 || r.Tags != nil {
			t.Errorf("%s: got %+v", text, r)
		}
	}
}

func TestProblemsComeAllAtOnce(t *testing.T) {
	t.Parallel()
	in := parse(t, `{"urk":1,"method":"GETT","retries":11,"timeout":"soon","tags":["a","c",1,"b"],
		"headers":{"h":[]},"auth":{"usr":1},"steps":[{"user":"u"},7],"trace":"maybe","factor":"x"}`)
	var problems schema.Problems
	if err := object[request](t).Decode(in, new(request)); !errors.As(err, &problems) {
		t.Fatalf("got %v", err)
	}
	got := make([]string, len(problems))
	for i, p := range problems {
		got[i] = p.Code + " " + p.String()
	}
	want := []string{
		`type trace: expected true or false, got the string "maybe"`,
		`missing missing required key "url" (Address.)`,
		`enum method: expected one of GET, POST, got the string "GETT" (did you mean "GET"?)`,
		`range retries: must be at most 10, got 11`,
		`type factor: expected a number, got the string "x"`,
		`type timeout: expected a duration such as "90m", "30d" or seconds, got the string "soon"`,
		`range tags: must have at most 3 elements, has 4`,
		`enum tags.1: expected one of a, b, got the string "c" (did you mean "a"?)`,
		`enum tags.2: expected one of a, b, got the string "1" (did you mean "a"?)`,
		`type headers.h: expected a string, got a list`,
		`missing auth: missing required key "user" (Who.)`,
		`unknown_key auth: unknown key "usr" (did you mean "user"?)`,
		`type steps.1: expected an object, got the integer 7`,
		`unknown_key unknown key "urk" (did you mean "url"?)`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestProblemPathsLeadToThePlace(t *testing.T) {
	t.Parallel()
	in := parse(t, `{"url":"u","steps":[{"user":"u","usr":1},{}]}`)
	problems := object[request](t).Check(in, func(string) bool { return false })
	if len(problems) != 2 {
		t.Fatalf("got %v", problems)
	}
	unknown, missing := problems[0], problems[1]
	if !slices.Equal(unknown.Path, []string{"steps", "0", "usr"}) || !unknown.Key {
		t.Errorf("unknown key: got %+v", unknown)
	}
	if !slices.Equal(missing.Path, []string{"steps", "1"}) || missing.Key {
		t.Errorf("missing key: got %+v", missing)
	}
}

func TestCheckLetsDynamicStringsPass(t *testing.T) {
	t.Parallel()
	dynamic := func(s string) bool { return strings.Contains(s, "{{") }
	o := object[request](t)
	for text, want := range map[string]int{
		`"{{ all }}"`: 0,
		`{"url":"{{ u }}","retries":"{{ n }}","tags":"{{ t }}","auth":"{{ a }}","method":"{{ m }}"}`:  0,
		`{"url":"u","tags":["{{ t }}"],"auth":{"user":"{{ u }}"},"unless":"{{ x }}","key":"{{ k }}"}`: 0,
		`{"url":"u","{{ k }}":1}`:           1,
		`{"url":"u","retries":"{ n }"}`:     1,
		`{"url":"u","auth":{"{{ k }}":""}}`: 2,
		`{}`:                                1,
		`{"url":null}`:                      1,
	} {
		if got := o.Check(parse(t, text), dynamic); len(got) != want {
			t.Errorf("%s: got %v, want %d problems", text, got, want)
		}
	}
}

func TestLateErrorsReachTheirField(t *testing.T) {
	t.Parallel()
	boom := &schema.Problem{Message: "boom"}
	late := map[string]error{"key": schema.Problems{*boom}}
	var r request
	o := object[request](t)
	if err := o.DecodeWith(parse(t, `{"url":"u"}`), &r, schema.Options{Late: late}); err != nil {
		t.Fatal(err)
	}
	if r.Key.Err == nil || !r.Key.Value.IsNull() || !r.Key.Set {
		t.Errorf("got %+v", r.Key)
	}
	late = map[string]error{"method": schema.Problems{*boom}, "nope": schema.Problems{*boom}}
	err := o.DecodeWith(parse(t, `{"url":"u"}`), &r, schema.Options{Late: late})
	if err == nil || err.Error() != "method: boom; nope: boom" {
		t.Errorf("got %v", err)
	}
}

func TestALateNullIsNotAnAbsentOne(t *testing.T) {
	t.Parallel()
	o := object[request](t)
	for text, set := range map[string]bool{`{"url":"u"}`: false, `{"url":"u","key":null}`: true, `{"url":"u","key":1}`: true} {
		var r request
		if err := o.Decode(parse(t, text), &r); err != nil || r.Key.Set != set {
			t.Errorf("%s: %+v, %v", text, r.Key, err)
		}
		again, err := o.Encode(r)
		if _, kept := again.Get("key"); err != nil || kept != set {
			t.Errorf("%s: encoded it is %v, %v", text, again, err)
		}
	}
}

func TestPrivateKeepsContentsOutOfMessages(t *testing.T) {
	t.Parallel()
	in := parse(t, `{"url":"u","method":"hunter2","retries":"hunter2","factor":"hunter2","timeout":987654321,"trace":"hunter2"}`)
	err := object[request](t).DecodeWith(in, new(request), schema.Options{Private: true})
	if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "987654321") {
		t.Errorf("got %v", err)
	}
}

func TestSecretsPassOnlyWhereAnythingDoes(t *testing.T) {
	t.Parallel()
	in := value.Object(value.M("url", value.Secret("s")), value.M("body", value.Secret("s")))
	err := object[request](t).Decode(in, new(request))
	if err == nil || err.Error() != "url: expected a string, got a secret, which is not available here" {
		t.Errorf("got %v", err)
	}
}

func TestScalarConversion(t *testing.T) {
	t.Parallel()
	type scalars struct {
		S *string        `json:"s" doc:"."`
		B *bool          `json:"b" doc:"."`
		I *int64         `json:"i" doc:"."`
		T *int8          `json:"t" doc:"."`
		F *float64       `json:"f" doc:"."`
		D *time.Duration `json:"d" doc:"."`
	}
	o := object[scalars](t)
	for _, c := range []struct{ key, in, want string }{
		{"s", `1.0`, `"1.0"`}, {"s", `123456789012345678901`, `"123456789012345678901"`}, {"s", `[]`, ``}, {"s", `false`, `"false"`},
		{"b", `"True"`, `true`}, {"b", `"false"`, `false`}, {"b", `1`, ``}, {"b", `"yes"`, ``}, {"b", `""`, ``},
		{"i", `5.0`, `5`}, {"i", `5.5`, ``}, {"i", `"5.0"`, `5`}, {"i", `"007"`, ``}, {"i", `" 5"`, ``}, {"i", `true`, ``},
		{"i", `9223372036854775807`, `9223372036854775807`}, {"i", `9223372036854775808`, ``}, {"i", `1e18`, `1000000000000000000`}, {"i", `1e19`, ``},
		{"t", `127`, `127`}, {"t", `128`, ``},
		{"f", `1`, `1.0`}, {"f", `"1e2"`, `100.0`}, {"f", `9007199254740993`, ``}, {"f", `9007199254740992`, `9007199254740992.0`}, {"f", `""`, ``},
		{"d", `90`, `90`}, {"d", `1.5`, `1.5`}, {"d", `"90"`, `90`}, {"d", `"1d"`, `86400`}, {"d", `"90m"`, `5400`}, {"d", `"-1d1h"`, `-90000`},
		{"d", `"1h1d"`, ``}, {"d", `"1d-1h"`, ``}, {"d", `"d"`, ``}, {"d", `""`, ``}, {"d", `"200000d"`, ``}, {"d", `1e300`, ``}, {"d", `"0.5d"`, `43200`}, {"d", `true`, ``},
	} {
		var s scalars
		err := o.Decode(value.Object(value.M(c.key, parse(t, c.in))), &s)
		if (err != nil) != (c.want == "") {
			t.Errorf("%s %s: got error %v", c.key, c.in, err)
			continue
		}
		if out, _ := o.Encode(s); err == nil && out.At(c.key).String() != c.want {
			t.Errorf("%s %s: got %s, want %s", c.key, c.in, out.At(c.key), c.want)
		}
	}
}

func TestNotANumberIsRefused(t *testing.T) {
	t.Parallel()
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		in := value.Object(value.M("url", value.Float(f)), value.M("retries", value.Float(f)),
			value.M("factor", value.Float(f)), value.M("timeout", value.Float(f)))
		var problems schema.Problems
		if err := object[request](t).Decode(in, new(request)); !errors.As(err, &problems) || len(problems) != 4 {
			t.Errorf("%v: got %v", f, err)
		}
	}
}

func TestMalformedDeclarationsAreNamed(t *testing.T) {
	t.Parallel()
	type node struct {
		Kids []node `json:"kids" doc:"."`
	}
	check := func(o *schema.Object, err error) func(words ...string) {
		return func(words ...string) {
			t.Helper()
			if err == nil || o != nil {
				t.Errorf("want an error with %q", words)
				return
			}
			for _, w := range words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("got %q, want %q in it", err, w)
				}
			}
		}
	}
	check(schema.For[int]())("not a struct")
	check(schema.For[value.Value]())("not a struct")
	check(schema.For[node]())("contains itself")
	check(schema.For[struct {
		A string         `json:"a" defualt:"x"`
		B string         `doc:"no name"`
		C int            `json:"c" default:"x"`
		D int            `json:"d" enum:"1"`
		E any            `json:"e"`
		F string         `json:"f,string"`
		G int            `json:"g" mode:"expr"`
		H string         `json:"h" mode:"late"`
		I bool           `json:"i" min:"1"`
		J string         `json:"j" enum:"a" default:"b"`
		K map[int]string `json:"k"`
		L string         `json:"l" mode:"x"`
		M int            `json:"m" min:"one"`
		N []chan int     `json:"n"`
	}]())(`.A: unknown tag "defualt"`, ".B: the json tag must name", `.C: default "x"`, ".D: enum needs", ".E: unsupported type",
		`.F: unknown option "string"`, `.G: mode:"expr"`, `.H: mode:"late"`, ".I: min means nothing", `.J: default "b"`,
		".K: unsupported", `.L: unknown mode "x"`, `.M: min "one"`, ".N: unsupported")
	check(schema.For[struct {
		common
		Trace string `json:"trace"`
	}]())(`declares "trace" twice`)
}

func TestFieldsDescribeTheDeclaration(t *testing.T) {
	t.Parallel()
	o := object[request](t)
	if got := strings.Join(o.Names(), " "); got != "trace url method retries factor timeout tags headers body args auth paging steps unless key" {
		t.Errorf("got %s", got)
	}
	for name, want := range map[string]string{
		"trace": "boolean", "retries": "integer", "factor": "number", "timeout": "duration", "tags": "list of string",
		"headers": "map of string", "body": "any", "args": "map of any", "auth": "object", "steps": "list of object", "key": "any",
	} {
		f, ok := o.Field(name)
		if !ok || f.Type != want || f.Required {
			t.Errorf("%s: got %+v, want type %s", name, f, want)
		}
		if (f.Object != nil) != strings.Contains(want, "object") {
			t.Errorf("%s: nested object %v", name, f.Object)
		}
	}
	if f, _ := o.Field("url"); !f.Required || !value.Equal(f.Example, value.String("https://example.org")) {
		t.Errorf("url: got %+v", f)
	}
	if _, ok := o.Field("nope"); ok {
		t.Error("found a field that is not there")
	}
}

func TestEncodeLeavesOutWhatIsEmpty(t *testing.T) {
	t.Parallel()
	got, err := object[request](t).Encode(&request{URL: "<u>"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"method":"","timeout":0,"url":"<u>"}`; got.String() != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEncodeKeepsNumbersExact(t *testing.T) {
	t.Parallel()
	type all struct {
		Big  int64          `json:"big"`
		F    float64        `json:"f"`
		Any  value.Value    `json:"any"`
		List []int          `json:"list"`
		Map  map[string]int `json:"map"`
		Ptr  *int           `json:"ptr"`
	}
	n := 0
	got, err := schema.Encode(all{Big: math.MaxInt64, F: 1, Any: parse(t, `[123456789012345678901,1.0]`), Ptr: &n})
	if want := `{"any":[123456789012345678901,1.0],"big":9223372036854775807,"f":1.0,"list":[],"map":{},"ptr":0}`; err != nil || got.String() != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	for x, want := range map[any]string{nil: "null", 3: "3", "s": `"s"`, 90 * time.Second: "90", value.Int(4): "4"} {
		if v, err := schema.Encode(x); err != nil || v.String() != want {
			t.Errorf("%v: got %s, %v", x, v, err)
		}
	}
	if _, err := schema.Encode(make(chan int)); err == nil {
		t.Error("a channel was encoded")
	}
}

func TestWrongGoTypesAreErrors(t *testing.T) {
	t.Parallel()
	o := object[request](t)
	var none *request
	for _, dst := range []any{nil, request{}, none, new(auth)} {
		if err := o.Decode(value.Object(), dst); err == nil {
			t.Errorf("decoded into %T", dst)
		}
	}
	for _, x := range []any{nil, none, auth{}} {
		if _, err := o.Encode(x); err == nil {
			t.Errorf("encoded %T", x)
		}
	}
}

func TestEncodeThenDecodeGivesTheSame(t *testing.T) {
	t.Parallel()
	o := object[request](t)
	rapid.Check(t, func(t *rapid.T) {
		in := request{
			URL:     rapid.StringN(1, 20, -1).Draw(t, "url"),
			Method:  rapid.SampledFrom([]string{"GET", "POST"}).Draw(t, "method"),
			Retries: rapid.IntRange(0, 10).Draw(t, "retries"),
			Timeout: time.Duration(rapid.Int64Range(-1e9, int64(time.Hour)).Draw(t, "timeout")),
			Tags:    rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 3).Draw(t, "tags"),
			Headers: rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "headers"),
			Body:    value.Int(rapid.Int64().Draw(t, "body")),
			Auth:    auth{User: rapid.String().Draw(t, "user"), Realm: "r"},
			Paging:  paging{Size: rapid.IntRange(1, 3).Draw(t, "size")},
		}
		in.Trace = rapid.Bool().Draw(t, "trace")
		first, err := o.Encode(in)
		if err != nil {
			t.Fatal(err)
		}
		var back request
		if err := o.Decode(first, &back); err != nil {
			t.Fatal(err)
		}
		if second, _ := o.Encode(back); !value.Equal(first, second) {
			t.Errorf("%s became %s", first, second)
		}
	})
}
