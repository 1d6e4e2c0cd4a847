package tree

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/value"
)

// document draws a document with a list of entries.
func document(t *rapid.T) (Node, []value.Value) {
	bodies := rapid.SliceOfN(values(), 1, 4).Draw(t, "bodies")
	var items []Node
	var entries []value.Value
	for _, b := range bodies {
		id := texts().Draw(t, "id")
		items = append(items, Object(F("provider", String("x")), F("id", String(id)), F("request", Value(b))))
		entries = append(entries, value.Object(value.M("provider", value.String("x")), value.M("id", value.String(id)), value.M("request", b)))
	}
	head := texts().Draw(t, "head")
	return Object(F("summary", String(head)), F("calls", List(items...))), entries
}

func TestSplitFindsTheEntriesThatAreWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc, want := document(t)
		for name, f := range map[string]func() ([]byte, []Part, bool){
			"yaml": func() ([]byte, []Part, bool) {
				return SplitYAML(append(AppendYAML(nil, doc), "...\n"...), "calls", "id")
			},
			"json": func() ([]byte, []Part, bool) { return SplitJSON(AppendJSON(nil, doc, 0), "calls", "id") },
		} {
			_, parts, ok := f()
			if !ok && name == "yaml" {
				continue // long keys and the like; the whole is read then
			}
			if !ok || len(parts) != len(want) {
				t.Fatalf("%s: %v, %d parts, want %d", name, ok, len(parts), len(want))
			}
			for i, p := range parts {
				v := parsePart(t, name, p)
				id := want[i].At("id").Text()
				if !value.Equal(v, want[i]) || name == "json" && p.Keys["id"] != id || name == "yaml" && !strings.Contains(id, "\n") && p.Keys["id"] != id {
					t.Fatalf("%s: part %d is %s with %q, want %s", name, i, v, p.Keys, want[i])
				}
			}
		}
	})
}

func parsePart(t *rapid.T, form string, p Part) value.Value {
	parse := ParseYAML
	if form == "json" {
		parse = value.Parse
	}
	v, err := parse(p.Text)
	if err != nil {
		t.Fatalf("%v:\n%s", err, p.Text)
	}
	if form == "yaml" {
		return v.Index(0)
	}
	return v
}

func TestSplitYAMLGivesUpOnWhatIsEditedByHand(t *testing.T) {
	t.Parallel()
	const whole = "format: 1\ncalls:\n  - provider: x\n    id: a\n    request:\n      text: |-\n        one\n\n        two\n      list:\n        - 1\n...\n"
	if _, parts, ok := SplitYAML([]byte(whole), "calls", "id"); !ok || len(parts) != 1 || parts[0].Keys["id"] != "a" || parts[0].Line != 3 {
		t.Fatalf("%v %+v", ok, parts)
	}
	for _, edit := range [][2]string{
		{"    id: a\n", "    id: 'a'\n"},
		{"    id: a\n", "    id: a # mine\n"},
		{"    id: a\n", "    # mine\n    id: a\n"},
		{"    id: a\n", "    id: \"a\n      b\"\n"},
		{"    id: a\n", "    id: a\n      b\n"},
		{"    id: a\n", "    id: >-\n      a\n"},
		{"    id: a\n", "    id: &x a\n"},
		{"    id: a\n", "    id: {a: 1}\n"},
		{"    id: a\n", "    id: a\r\n"},
		{"    id: a\n", "   id: a\n"},
		{"calls:\n", "calls: \n"},
		{"...\n", "more: 1\n...\n"},
		{"...\n", ""},
	} {
		text := strings.Replace(whole, edit[0], edit[1], 1)
		if _, _, ok := SplitYAML([]byte(text), "calls", "id"); ok {
			t.Errorf("split what is edited by hand:\n%s", text)
		}
	}
}

func TestSplitJSONReadsAnyLayout(t *testing.T) {
	t.Parallel()
	text := ` {"a":"}\\","calls" : [ {"id":"x\"y","n":[{"id":"no"}]},{"id":"z"} ],"b":[1,{}]} `
	head, parts, ok := SplitJSON([]byte(text), "calls", "id")
	if !ok || len(parts) != 2 || parts[0].Keys["id"] != `x"y` || parts[1].Keys["id"] != "z" {
		t.Fatalf("%v %+v", ok, parts)
	}
	v, err := value.Parse(head)
	if err != nil || !slices.Equal(v.Keys(), []string{"a", "b", "calls"}) || v.At("calls").Len() != 0 {
		t.Errorf("head %s: %v", head, err)
	}
}

// FuzzSplit holds that what is split is what a full reading finds.
func FuzzSplit(f *testing.F) {
	f.Add([]byte("a: 1\ncalls:\n  - id: x\n    b: |2-\n       y\n...\n"))
	f.Add([]byte(`{"calls":[{"id":"x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, parts, ok := SplitJSON(data, "calls", "id"); ok {
			if v, err := value.Parse(data); err == nil && v.At("calls").Len() != len(parts) {
				t.Fatalf("%d parts, want %d", len(parts), v.At("calls").Len())
			}
		}
		_, parts, ok := SplitYAML(data, "calls", "id")
		if !ok {
			return
		}
		if v, err := ParseYAML(data); err == nil && v.At("calls").Len() != len(parts) {
			t.Fatalf("%d parts, want %d:\n%s", len(parts), v.At("calls").Len(), data)
		}
	})
}
