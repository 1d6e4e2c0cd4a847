package content_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/internal/content"
	"github.com/tea-agents/tea/value"
)

// TestCSVRoundTrip: rows of strings survive writing and reading in any dialect.
func TestCSVRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.StringOf(rapid.SampledFrom([]rune("aé,;\t\"\n x0=|🍵")))
		width := rapid.IntRange(1, 4).Draw(t, "width")
		var columns []string
		for i := range width {
			columns = append(columns, fmt.Sprintf("%s%d", cell.Draw(t, "column"), i))
		}
		rows := rapid.SliceOf(rapid.Custom(func(t *rapid.T) value.Value {
			members := map[string]value.Value{}
			for _, name := range columns {
				members[name] = value.String(cell.Draw(t, "cell"))
			}
			return value.Map(members)
		})).Draw(t, "rows")
		dialect := content.CSV{
			Delimiter: rapid.SampledFrom([]rune{0, ',', ';', '\t', '|'}).Draw(t, "delimiter"),
			Header:    rapid.Bool().Draw(t, "header"),
			Columns:   columns,
		}
		text, err := dialect.Format(rows)
		if err != nil {
			t.Fatal(err)
		}
		table, err := dialect.Parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got, want := value.List(table.Rows...), value.List(rows...); !value.Equal(got, want) {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	})
}

// TestFormatsRoundTrip: what Encode writes, Decode reads as the same value.
func TestFormatsRoundTrip(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ format, v string }{
		{"text", `"a\nb"`}, {"bytes", `"AAH/"`}, {"json", `{"a":[1,1.0,null,"x"]}`}, {"json", `"text"`},
		{"json", `123456789012345678901234567890`}, {"csv", `[{"a":"1","b":""}]`},
	} {
		v, err := value.Parse([]byte(tt.v))
		if err != nil {
			t.Fatal(err)
		}
		data, err := content.Encode(v, tt.format)
		if err != nil {
			t.Fatalf("%s: %v", tt.v, err)
		}
		if got, err := content.Decode(data, tt.format); err != nil || !value.Equal(got, v) {
			t.Errorf("%s as %s: %q, %s, %v", tt.v, tt.format, data, got, err)
		}
	}
}

func FuzzCSV(f *testing.F) {
	f.Add("a,b\n1,2\n", true)
	f.Add("\"a\"\"\n", false)
	f.Fuzz(func(t *testing.T, text string, header bool) {
		table, err := content.CSV{Header: header}.Parse(text)
		if err != nil {
			if !strings.Contains(err.Error(), "CSV") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		for _, row := range table.Rows {
			if table.Headers != nil && row.Len() != len(table.Headers) {
				t.Errorf("%q: %s has not the %d columns", text, row, len(table.Headers))
			}
		}
	})
}
