package schema_test

import (
	"errors"
	"testing"

	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{}`, `null`, `{"url":"u"}`, `{"url":1,"timeout":"1d","steps":[{"user":[]}],"key":{},"factor":1e308}`} {
		f.Add(s)
	}
	o := object[request](f)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.Parse([]byte(text))
		if err != nil {
			return
		}
		var r request
		err = o.Decode(v, &r)
		if problems := o.Check(v, func(string) bool { return false }); len(problems) > 0 != (err != nil) {
			t.Fatalf("%s: Decode says %v, Check says %v", text, err, problems)
		}
		if all := (schema.Problems)(nil); err != nil && !errors.As(err, &all) {
			t.Fatalf("%s: %T", text, err)
		}
		if out, encErr := o.Encode(r); err == nil && (encErr != nil || out.Check() != nil) {
			t.Fatalf("%s: %s is not JSON", text, out)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	type ten struct {
		A string            `json:"a"`
		B string            `json:"b"`
		C int               `json:"c"`
		D int               `json:"d"`
		E bool              `json:"e"`
		F float64           `json:"f"`
		G []string          `json:"g"`
		H map[string]string `json:"h"`
		I value.Value       `json:"i"`
		J string            `json:"j" enum:"x,y" default:"x"`
	}
	o := object[ten](b)
	in := parse(b, `{"a":"a","b":"b","c":1,"d":"2","e":true,"f":1.5,"g":["x","y"],"h":{"k":"v"},"i":[1,2]}`)
	b.ReportAllocs()
	for b.Loop() {
		var t ten
		if err := o.Decode(in, &t); err != nil {
			b.Fatal(err)
		}
	}
}
