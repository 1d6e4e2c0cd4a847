package ltm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

func TestParseFilters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`null`:                       "",
		`{}`:                         "",
		`{"kind":"note"}`:            `kind = "note"`,
		`{"a.b":null}`:               `a/b = null`,
		`{"kind":["note",1]}`:        `kind in ["note",1]`,
		`{"a":{"b":1}}`:              `a = {"b":1}`,
		`{"a":{}}`:                   `a = {}`,
		`{"n":{"$gte":0.5,"$lt":1}}`: `n >= 0.5; n < 1`,
		`{"n":{"$gt":1,"$lte":"z"}}`: `n > 1; n <= "z"`,
		`{"n":{"$eq":{"$gte":1}}}`:   `n = {"$gte":1}`,
		`{"n":{"$in":[]},"o":1}`:     `n in []; o = 1`,
		`{"a.b":{"$exists":true}}`:   `a/b exists true`,
		`{"n":{"$gtee":1},"a":{"$x":2}}`: `invalid: the metadata filter: "a": unknown comparison "$x"; known are $eq $exists $gt $gte $in $lt $lte` + "\n" +
			`"n": unknown comparison "$gtee", did you mean "$gte"?; known are $eq $exists $gt $gte $in $lt $lte`,
		`{"n":{"$in":1}}`:         `invalid: the metadata filter: "n": $in wants a list, got the integer 1`,
		`{"n":{"$exists":false}}`: `invalid: the metadata filter: "n": $exists can only be true: there is no search for what is missing`,
		`[1]`:                     `invalid: the metadata filter must be an object, got the list [1]`,
		`5`:                       `invalid: the metadata filter must be an object, got the integer 5`,
		`{"n":{"$gte":null}}`:     `invalid: the metadata filter: "n": $gte wants a number or a text, got null`,
		`{"n":{"$lt":[1]}}`:       `invalid: the metadata filter: "n": $lt wants a number or a text, got [1]`,
	} {
		v, err := value.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		filters, err := ltm.ParseFilters(v)
		var parts []string
		for _, f := range filters {
			parts = append(parts, fmt.Sprintf("%s %s %s", strings.Join(f.Path, "/"), f.Op, f.Value))
		}
		got := strings.Join(parts, "; ")
		if err != nil {
			got = err.Error()
			if !errors.Is(err, ltm.ErrInvalid) {
				t.Errorf("%s: %v is no ErrInvalid", text, err)
			}
		}
		if got != want {
			t.Errorf("%s is\n%s\nwant\n%s", text, got, want)
		}
	}
}
