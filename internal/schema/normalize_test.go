package schema_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/value"
)

func TestNormalFormFillsInDefaultsAndConverts(t *testing.T) {
	t.Parallel()
	o := object[request](t)
	const rest = `"method":"GET","paging":{"size":10},"timeout":30`
	for in, want := range map[string]string{
		`null`: `{` + rest + `}`,
		`{"url":5,"retries":"3","factor":null,"steps":[{"user":1}]}`: `{"method":"GET","paging":{"size":10},"retries":3,"steps":[{"realm":"main","user":"1"}],"timeout":30,"url":"5"}`,
		`{"timeout":"1m30s","auth":{"user":"u"},"headers":{"a":1}}`:  `{"auth":{"realm":"main","user":"u"},"headers":{"a":"1"},"method":"GET","paging":{"size":10},"timeout":90}`,
		`{"retries":"x","tags":7,"odd":null,"body":null}`:            `{` + rest + `,"odd":null,"retries":"x","tags":7}`,
		`[]`: `[]`,
	} {
		if got := o.Normalize(parse(t, in)); !value.Equal(got, parse(t, want)) {
			t.Errorf("%s:\n got %s\nwant %s", in, got, want)
		}
	}
	secret := value.Object(value.M("url", value.Secret("s")))
	if got, _ := o.Normalize(secret).Get("url"); got.Kind() != value.KindSecret {
		t.Errorf("the secret became %s", got)
	}
}

func TestNormalFormsAreStableAndDecodeAlike(t *testing.T) {
	t.Parallel()
	o := object[request](t)
	rapid.Check(t, func(t *rapid.T) {
		in := value.Object(value.M("url", value.String("u")))
		for _, key := range []string{"retries", "factor", "timeout", "tags", "auth", "unless", "body", "paging"} {
			if rapid.Bool().Draw(t, "has "+key) {
				in = in.With(key, rapid.SampledFrom([]value.Value{
					value.Null(), value.Int(3), value.String("3"), value.Float(3), value.String("x"),
					value.List(value.String("a")), value.Object(value.M("user", value.Int(1))),
				}).Draw(t, key))
			}
		}
		normal := o.Normalize(in)
		if again := o.Normalize(normal); !value.Equal(again, normal) {
			t.Fatalf("%s: %s normalizes to %s", in, normal, again)
		}
		var a, b request
		errA, errB := o.Decode(in, &a), o.Decode(normal, &b)
		if (errA == nil) != (errB == nil) {
			t.Fatalf("%s: %v, but its normal form: %v", in, errA, errB)
		}
		first, _ := o.Encode(a)
		if second, _ := o.Encode(b); errA == nil && !value.Equal(first, second) {
			t.Errorf("%s decodes as %s, its normal form as %s", in, first, second)
		}
	})
}
