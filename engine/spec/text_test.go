package spec_test

import (
	"strings"
	"testing"

	"github.com/tea-agents/tea/engine/spec"
)

const scalars = `name: a
variables:
  plain: one two é three
  folded plain: one
    two

    three
  tagged: !!str tagged text
  anchored: &x anchored text
  single: 'it''s é
    over two

    lines'
  double: "tab é \u00e9 quote \" end
    folded \
    glued"
  literal: |

    first é
      indented

    last
  kept: |2-
      two more
    done
  commented: | # note
    code()
  fold: >
    one
    two

    three
      as it is
    four
  stripped: >-
    a

    b
nodes:
  - {name: n, run: "return {}"}
`

// Every character of a string that stands in the file as itself is found there.
func TestTextAt(t *testing.T) {
	t.Parallel()
	a, diags := spec.Parse("a.yaml", []byte(scalars))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	lines := strings.Split(scalars, "\n")
	for _, m := range a.Variables.Members {
		text := m.Value.Text
		for i, r := range text.Value {
			if r == ' ' || r == '\n' || r == '\t' {
				continue
			}
			pos := text.At(i)
			line := []rune(lines[pos.Line-1])
			if pos.Col > len(line) || line[pos.Col-1] != r && line[pos.Col-1] != '\\' {
				t.Errorf("%s: offset %d (%q) is mapped to %s", m.Key.Value, i, r, pos)
			}
		}
	}
}

func TestTextLineCol(t *testing.T) {
	t.Parallel()
	src := "name: a\nnodes:\n  - name: n\n    run: |\n      x = 1\n      return {\"é\": y}\n"
	a, diags := spec.Parse("a.yaml", []byte(src))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	code := a.Nodes[0].Body.(*spec.Run).Code
	for want, at := range map[string][2]int{
		"a.yaml:5:7":  {1, 1},
		"a.yaml:5:11": {1, 5},
		"a.yaml:6:20": {2, 14},
		"a.yaml:7:1":  {3, 1},
	} {
		if got := code.LineCol(at[0], at[1]).String(); got != want {
			t.Errorf("line %d, column %d is mapped to %s, want %s", at[0], at[1], got, want)
		}
	}
}
