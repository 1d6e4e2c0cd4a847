package schema

import (
	"reflect"
	"strings"
	"testing"
)

// These declarations are also refused by go vet, so they are made here at run
// time.
func TestTagsAreReadStrictly(t *testing.T) {
	t.Parallel()
	for tag, want := range map[reflect.StructTag]string{
		`json:"x" doc`:         `malformed tag at "doc"`,
		`json:"x" doc:`:        "malformed tag doc",
		`json:"x" doc:"open`:   "malformed tag doc",
		`json:"x",doc:"comma"`: `unknown tag ",doc"`,
		`json:"x" yaml:"y"`:    `unknown tag "yaml"`,
	} {
		_, err := compile(reflect.StructOf([]reflect.StructField{{Name: "X", Type: reflect.TypeFor[int](), Tag: tag}}), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", tag, err, want)
		}
	}
}

func TestUnexportedFieldsCannotBeDeclared(t *testing.T) {
	t.Parallel()
	field := reflect.StructField{Name: "x", PkgPath: "p", Type: reflect.TypeFor[int](), Tag: `json:"x"`}
	_, err := compile(reflect.StructOf([]reflect.StructField{field}), nil)
	if err == nil || !strings.Contains(err.Error(), "not exported") {
		t.Errorf("got %v", err)
	}
}
