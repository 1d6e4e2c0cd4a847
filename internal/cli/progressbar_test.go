package cli

import (
	"strings"
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		terminal bool
		total    int64
		every    time.Duration // between 10 additions of 10
		want     []string      // that is written
		not      string
	}{
		"quick work shows no bar":          {true, 100, 99 * time.Millisecond, nil, "copying"},
		"quick work shows no line":         {false, 100, 900 * time.Millisecond, nil, "copying"},
		"a bar":                            {true, 100, time.Second, []string{"\r\x1b[Kcopying [============            ] 50 of 100 entries, 50 %, 10/s, 5s left", "100 %"}, "\n"},
		"a bar is gone in the end":         {true, 100, time.Second, []string{"10/s\r\x1b[K$"}, ""},
		"a bar without a total":            {true, 0, time.Second, []string{"\r\x1b[Kcopying 50 entries, 10/s"}, "%"},
		"a bar with a total that is wrong": {true, 10, time.Second, []string{"50 entries, 10/s"}, "200 %"},
		"a line every ten seconds":         {false, 100, 5 * time.Second, []string{"copying: 20 of 100 entries, 20 %, 2/s, 40s left\ncopying: 40 of"}, "\r"},
	} {
		var out strings.Builder
		now := time.UnixMilli(0)
		m := newMeter(&out, func() time.Time { return now }, tt.terminal, "copying", tt.total)
		for range 10 {
			now = now.Add(tt.every)
			m.add(10)
		}
		m.end()
		m.end()
		got := out.String() + "$"
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in %q", name, want, got)
			}
		}
		if tt.not != "" && strings.Contains(got, tt.not) {
			t.Errorf("%s: %q in %q", name, tt.not, got)
		}
	}
	var none *meter
	none.add(1)
	none.end()
}

func TestMeterIsForThoseWhoLook(t *testing.T) {
	t.Parallel()
	a := &app{streams: streams{err: &strings.Builder{}}, now: time.Now}
	if a.meter("x", 1, false) != nil || a.meter("x", 1, true) == nil {
		t.Error("without a terminal only -v shows lines")
	}
}
