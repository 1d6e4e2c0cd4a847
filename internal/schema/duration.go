package schema

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tea-agents/tea/value"
)

const day = 24 * time.Hour

var dayPart = regexp.MustCompile(`(?:[0-9]+\.?[0-9]*|\.[0-9]+)d`)

// ParseDuration reads a duration in Go's form, in which "d" stands for 24
// hours ("90m", "30d", "1d12h", "-1.5h"), or a plain number of seconds ("90").
func ParseDuration(s string) (time.Duration, error) {
	if n, ok := number(s); ok {
		return seconds(n)
	}
	bad := fmt.Errorf(`%q is not a duration such as "90m", "30d" or "1d12h"`, s)
	sign, rest := "", s
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		sign, rest = s[:1], s[1:]
	}
	place := dayPart.FindStringIndex(rest)
	if place == nil {
		if d, err := time.ParseDuration(s); err == nil {
			return d, nil
		}
		return 0, bad
	}
	days, err := strconv.ParseFloat(rest[:place[1]-1], 64)
	if place[0] != 0 || err != nil {
		return 0, bad
	}
	total, ok := fromFloat(days * float64(day))
	if !ok {
		return 0, fmt.Errorf("%q is longer than a duration can be", s)
	}
	if rest = rest[place[1]:]; rest != "" {
		if strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+") {
			return 0, bad
		}
		more, err := time.ParseDuration(rest)
		if err != nil {
			return 0, bad
		}
		if total > math.MaxInt64-more {
			return 0, fmt.Errorf("%q is longer than a duration can be", s)
		}
		total += more
	}
	if sign == "-" {
		total = -total
	}
	return total, nil
}

// seconds converts a number of seconds. Whole seconds are exact.
func seconds(n value.Value) (time.Duration, error) {
	if i, ok := n.AsInt(); ok && i >= math.MinInt64/int64(time.Second) && i <= math.MaxInt64/int64(time.Second) {
		return time.Duration(i) * time.Second, nil
	}
	if f, ok := n.AsFloat(); ok && n.Kind() == value.KindFloat {
		if d, ok := fromFloat(f * float64(time.Second)); ok {
			return d, nil
		}
	}
	return 0, fmt.Errorf("%s seconds are longer than a duration can be", n)
}

// fromFloat rounds nanoseconds to a duration, if they fit in one.
func fromFloat(ns float64) (time.Duration, bool) {
	ns = math.Round(ns)
	if math.IsNaN(ns) || ns < math.MinInt64 || ns >= math.MaxInt64 {
		return 0, false
	}
	return time.Duration(ns), true
}

// durationValue is the number of seconds in d: an integer when they are whole.
func durationValue(d time.Duration) value.Value {
	if d%time.Second == 0 {
		return value.Int(int64(d / time.Second))
	}
	return value.Float(d.Seconds())
}
