package textdiff

import "slices"

// Op says what becomes of a line.
type Op uint8

// The operations.
const (
	Keep   Op = iota // it is in both texts
	Delete           // it is in the first only
	Insert           // it is in the second only
)

// Line is a line of an edit script.
type Line struct {
	Op   Op
	Text string
}

// maxEdits is how many lines may differ before the middle of two texts is
// taken as replaced as a whole: it bounds time and memory.
const maxEdits = 1000

// Script returns the shortest edit script from a to b.
func Script(a, b []string) []Line {
	head := common(a, b, func(s []string, i int) string { return s[i] })
	tail := common(a[head:], b[head:], func(s []string, i int) string { return s[len(s)-1-i] })
	script := make([]Line, 0, len(a)+len(b))
	script = all(script, Keep, a[:head])
	script = append(script, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return all(script, Keep, a[len(a)-tail:])
}

// Common returns how many lines the longest common subsequence of a and b has.
func Common(a, b []string) int {
	n := 0
	for _, l := range Script(a, b) {
		if l.Op == Keep {
			n++
		}
	}
	return n
}

// common counts the equal lines at one end.
func common(a, b []string, at func([]string, int) string) int {
	n := 0
	for n < min(len(a), len(b)) && at(a, n) == at(b, n) {
		n++
	}
	return n
}

func all(script []Line, op Op, lines []string) []Line {
	for _, l := range lines {
		script = append(script, Line{op, l})
	}
	return script
}

// middle finds the script for texts that differ at both ends, after Myers
// ("An O(ND) Difference Algorithm and Its Variations", 1986): furthest[k] is
// how far into a one gets on the diagonal k with d edits.
func middle(a, b []string) []Line {
	limit := min(len(a)+len(b), maxEdits)
	furthest := make([]int, 2*limit+3)
	offset := limit + 1
	var trail [][]int
	for d := 0; d <= limit; d++ {
		trail = append(trail, append([]int(nil), furthest[offset-d:offset+d+1]...))
		for k := -d; k <= d; k += 2 {
			x := step(furthest, offset, k, d)
			for y := x - k; x < len(a) && y < len(b) && a[x] == b[y]; y++ {
				x++
			}
			furthest[offset+k] = x
			if x >= len(a) && x-k >= len(b) {
				return backtrack(a, b, trail, d, k)
			}
		}
	}
	return all(all(nil, Delete, a), Insert, b)
}

// step makes one more edit to get onto the diagonal k.
func step(furthest []int, offset, k, d int) int {
	switch {
	case d == 0:
		return 0
	case k == -d || k != d && furthest[offset+k-1] < furthest[offset+k+1]:
		return furthest[offset+k+1]
	default:
		return furthest[offset+k-1] + 1
	}
}

// backtrack follows the trail from the end to the beginning. trail[d] holds the
// diagonals -d to d as they were before edit d was made.
func backtrack(a, b []string, trail [][]int, d, k int) []Line {
	var reversed []Line
	x, y := len(a), len(b)
	for ; d > 0; d-- {
		before := trail[d]
		previous := k - 1
		if k == -d || k != d && before[d+k-1] < before[d+k+1] {
			previous = k + 1
		}
		x1 := before[d+previous] // where the edit led to
		if previous == k-1 {
			x1++
		}
		for ; x > x1; x, y = x-1, y-1 {
			reversed = append(reversed, Line{Keep, a[x-1]})
		}
		if previous == k+1 {
			y--
			reversed = append(reversed, Line{Insert, b[y]})
		} else {
			x--
			reversed = append(reversed, Line{Delete, a[x]})
		}
		k = previous
	}
	for x > 0 {
		x--
		reversed = append(reversed, Line{Keep, a[x]})
	}
	slices.Reverse(reversed)
	return reversed
}
