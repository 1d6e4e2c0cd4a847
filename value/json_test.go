package value_test

import (
	"math"
	"testing"

	"github.com/tea-agents/tea/value"
)

// TestRoundTrip lists texts that are already canonical: parsing and writing
// them again changes nothing.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`null`, `true`, `0`, `-1`, `9007199254740993`, `123456789012345678901234567890`,
		`1.0`, `0.1`, `1e+300`, `-2.5e-07`, `""`, `"<&>\"\\\n\u0001é😀"`, `[]`, `{}`,
		`[1,1.0,"1"]`, `{"a":{"b":[null]},"c":false}`, "{\"\U0001F600\":1,\"\uFB33\":2}",
	} {
		v, err := value.Parse([]byte(text))
		if err != nil {
			t.Errorf("Parse(%s): %v", text, err)
		} else if got := v.String(); got != text {
			t.Errorf("Parse(%s) writes %s", text, got)
		}
	}
}

// TestWritesWhatIsNoJSON holds what AppendJSON makes of data that has no
// canonical form.
func TestWritesWhatIsNoJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v    value.Value
		want string
	}{
		{value.Float(math.NaN()), `null`},
		{value.Float(math.Inf(-1)), `null`},
		{value.String("a\xff\xfeb\n"), `"a��b\n"`},
		{value.Secret("TOKEN"), `"***"`},
		{value.List(value.Secret("TOKEN")), `["***"]`},
	} {
		if got := c.v.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestFormatFloat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f    float64
		want string
	}{
		{0, "0.0"},
		{math.Copysign(0, -1), "-0.0"},
		{1e-4, "0.0001"},
		{math.Nextafter(1e-4, 0), "9.999999999999999e-05"},
		{-1e16, "-1e+16"},
		{math.Nextafter(1e16, 0), "9999999999999998.0"},
		{math.MaxFloat64, "1.7976931348623157e+308"},
		{5e-324, "5e-324"},
		{math.NaN(), "nan"},
		{math.Inf(1), "inf"},
		{math.Inf(-1), "-inf"},
	} {
		if got := value.FormatFloat(c.f); got != c.want {
			t.Errorf("FormatFloat(%g) = %s, want %s", c.f, got, c.want)
		}
	}
}
