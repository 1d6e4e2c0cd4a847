package textdiff

import (
	"fmt"
	"strings"
)

// Unified returns an edit script as the hunks of a unified diff, with that many
// lines of context, cut after maxLines lines; "" when nothing differs.
func Unified(script []Line, context, maxLines int) string {
	var out []string
	for _, h := range hunks(script, context) {
		out = append(out, h.head(script))
		for _, l := range script[h.from:h.to] {
			out = append(out, string(" -+"[l.Op])+l.Text)
		}
	}
	if len(out) > maxLines {
		left := len(out) - maxLines + 1
		out = append(out[:maxLines-1], fmt.Sprintf("… and %d more lines", left))
	}
	return strings.Join(out, "\n")
}

// hunk is a part of a script with changes in it and context around them.
type hunk struct{ from, to int }

func hunks(script []Line, context int) []hunk {
	var all []hunk
	for i, l := range script {
		if l.Op == Keep {
			continue
		}
		from, to := max(0, i-context), min(len(script), i+context+1)
		if n := len(all); n > 0 && from <= all[n-1].to {
			all[n-1].to = to
			continue
		}
		all = append(all, hunk{from, to})
	}
	return all
}

// head says which lines of both texts the hunk shows.
func (h hunk) head(script []Line) string {
	a, b := count(script[:h.from])
	inA, inB := count(script[h.from:h.to])
	return fmt.Sprintf("@@ -%s +%s @@", span(a, inA), span(b, inB))
}

func span(before, lines int) string {
	if lines == 0 {
		return fmt.Sprintf("%d,0", before)
	}
	if lines == 1 {
		return fmt.Sprint(before + 1)
	}
	return fmt.Sprintf("%d,%d", before+1, lines)
}

// count counts the lines of both texts in a script.
func count(script []Line) (a, b int) {
	for _, l := range script {
		if l.Op != Insert {
			a++
		}
		if l.Op != Delete {
			b++
		}
	}
	return a, b
}
