package value_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/big"
	"testing"

	"github.com/tea-agents/tea/value"
	"pgregory.net/rapid"
)

func TestCheckSaysWhere(t *testing.T) {
	t.Parallel()
	nan := value.Float(math.NaN())
	for _, c := range []struct {
		v    value.Value
		want string
	}{
		{nan, "nan is not JSON"},
		{value.Must(map[string]any{"a": []any{1, map[string]any{"b": nan}}}), "a[1].b: nan is not JSON"},
		{value.String("a\xff"), `text is not valid UTF-8: "a\xff"`},
		{value.Must(map[string]any{"k": value.Secret("TOKEN")}), "k: a secret is not data"},
	} {
		if _, err := c.v.Digest(); err == nil || err.Error() != c.want {
			t.Errorf("Digest: %v, want %s", err, c.want)
		}
	}
}

func TestFrom(t *testing.T) {
	t.Parallel()
	big1 := new(big.Int).Lsh(big.NewInt(1), 80)
	type point struct {
		X int `json:"x"`
	}
	for want, x := range map[string]any{
		`1208925819614629174706176`: big1,
		`18446744073709551615`:      uint64(math.MaxUint64),
		`12345678901234567890`:      json.Number("12345678901234567890"),
		`{"1":"a","true":"b"}`:      map[any]any{1: "a", true: "b"},
		`[{"x":1}]`:                 []point{{1}},
		`"AQI="`:                    []byte{1, 2},
		`1.5`:                       float32(1.5),
	} {
		v, err := value.From(x)
		if err != nil || v.String() != want {
			t.Errorf("From(%v) = %s, %v; want %s", x, v, err, want)
		}
	}
	for _, x := range []any{map[any]any{1: "a", "1": "b"}, func() {}, make(chan int)} {
		if v, err := value.From(x); err == nil {
			t.Errorf("From(%T) = %s, want an error", x, v)
		}
	}
}

func TestObjects(t *testing.T) {
	t.Parallel()
	o := value.Object(value.M("b", value.Int(1)), value.M("a", value.Int(2)), value.M("b", value.Int(3)))
	for _, c := range []struct{ got, want string }{
		{o.String(), `{"a":2,"b":3}`},
		{o.With("c", value.Null()).String(), `{"a":2,"b":3,"c":null}`},
		{o.With("a", value.Int(9)).String(), `{"a":9,"b":3}`},
		{o.Without("a").String(), `{"b":3}`},
		{o.Merge(value.Must(map[string]any{"a": 1, "z": 2})).String(), `{"a":1,"b":3,"z":2}`},
		{o.Merge(value.Must(map[string]any{"a": 1})).String(), `{"a":1,"b":3}`},
		{o.Merge(value.Must(map[string]any{"0": 1, "b": 2, "c": 3})).String(), `{"0":1,"a":2,"b":2,"c":3}`},
		{o.Merge(value.List(value.Int(1))).String(), `{"a":2,"b":3}`},
		{o.Merge(value.Object()).String(), `{"a":2,"b":3}`},
		{value.Null().Merge(o).String(), `{"a":2,"b":3}`},
		{value.List(o).Merge(o).String(), `{"a":2,"b":3}`},
		{o.String(), `{"a":2,"b":3}`},
		{value.Must(map[string]any{"x": map[string]any{"y": 1}}).At("x", "y").String(), `1`},
		{o.At("x", "y").String(), `null`},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

// TestObjectKeepsTheOrderOfItsCaller builds from members that others hold.
func TestObjectKeepsTheOrderOfItsCaller(t *testing.T) {
	t.Parallel()
	members := []value.Member{value.M("b", value.Int(1)), value.M("a", value.Int(2)), value.M("b", value.Int(3))}
	value.Object(members...)
	if members[0].Key != "b" || members[1].Key != "a" {
		t.Errorf("Object sorted the members of its caller: %v", members)
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	bearer, ok := value.Concat(value.String("Bearer "), value.Secret("TOKEN"), value.String("!"))
	if !ok {
		t.Fatal("Concat refused strings and secrets")
	}
	args := value.Must(map[string]any{"headers": map[string]any{"Authorization": bearer}, "n": 1})
	if got := args.String(); got != `{"headers":{"Authorization":"Bearer ***!"},"n":1}` {
		t.Errorf("a secret prints as %s", got)
	}
	if names := value.SecretNames(args); len(names) != 1 || names[0] != "TOKEN" {
		t.Errorf("SecretNames = %v", names)
	}
	plain, err := value.Resolve(args, func(name string) (string, error) { return "hunter2:" + name, nil })
	if err != nil || plain.At("headers", "Authorization").Text() != "Bearer hunter2:TOKEN!" {
		t.Errorf("Resolve = %s, %v", plain, err)
	}
	missing := errors.New("no such secret")
	if _, err := value.Resolve(args, func(string) (string, error) { return "", missing }); !errors.Is(err, missing) {
		t.Errorf("Resolve hides the error of lookup: %v", err)
	}
	if _, ok := value.Concat(value.Int(1)); ok {
		t.Error("Concat accepted a number")
	}
}

// generator draws any JSON value.
func generator() *rapid.Generator[value.Value] {
	scalar := rapid.OneOf(
		rapid.Just(value.Null()),
		rapid.Map(rapid.Bool(), value.Bool),
		rapid.Map(rapid.Int64(), value.Int),
		rapid.Map(rapid.Int64(), func(i int64) value.Value {
			b := big.NewInt(i)
			return value.BigInt(b.Mul(b, b))
		}),
		rapid.Map(rapid.Float64(), value.Float),
		rapid.Map(rapid.String(), value.String),
	)
	return rapid.OneOf(
		scalar,
		rapid.Map(rapid.SliceOfN(scalar, 0, 4), func(s []value.Value) value.Value { return value.List(s...) }),
		rapid.Map(rapid.MapOfN(rapid.String(), scalar, 0, 4), value.Map),
	)
}

// TestProperties holds what the rest of the house relies on: JSON text and Go
// data carry every value there and back, and digests tell values apart.
func TestProperties(t *testing.T) {
	t.Parallel()
	gen := generator()
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		again, err := value.Parse(a.AppendJSON(nil))
		if err != nil || !value.Equal(a, again) {
			t.Fatalf("%s through JSON: %s, %v", a, again, err)
		}
		if indented, err := value.Parse([]byte(a.Indent())); err != nil || !value.Equal(a, indented) {
			t.Fatalf("%s through indented JSON: %s, %v", a, indented, err)
		}
		if data, err := value.From(a.Any()); err != nil || !value.Equal(a, data) {
			t.Fatalf("%s through Go data: %s, %v", a, data, err)
		}
		if a.Kind() == value.KindObject && b.Kind() == value.KindObject {
			if got, want := a.Merge(b), mergeByMap(a, b); !value.Equal(got, want) {
				t.Fatalf("%s merged with %s: %s, want %s", a, b, got, want)
			}
		}
		da, _ := a.Digest()
		db, _ := b.Digest()
		if (da == db) != value.Equal(a, b) {
			t.Fatalf("digests of %s and %s: equal %v, values equal %v", a, b, da == db, value.Equal(a, b))
		}
	})
}

func mergeByMap(objects ...value.Value) value.Value {
	all := map[string]value.Value{}
	for _, o := range objects {
		maps.Insert(all, o.Members())
	}
	return value.Map(all)
}
