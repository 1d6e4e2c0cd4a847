package cache

import (
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	// DefaultTTL is how long an entry lives where nothing else is said.
	DefaultTTL = 60 * day
	// Never is the TTL of an entry that does not expire.
	Never = time.Duration(math.MaxInt64)

	day = 24 * time.Hour
)

// expiry returns when what is stored at now with a TTL is over; the zero Time
// is never. Times of entries are whole milliseconds.
func expiry(now time.Time, ttl time.Duration) time.Time {
	if ttl == Never {
		return time.Time{}
	}
	return now.Add(ttl).Truncate(time.Millisecond)
}

// over tells whether an entry that expires at the given time has expired.
func over(expiresAt, now time.Time) bool {
	return !expiresAt.IsZero() && !now.Before(expiresAt)
}

// times multiplies a unit, and tells whether the product is a duration.
func times(n int64, unit time.Duration) (time.Duration, bool) {
	if n > 0 && n > int64(Never-1)/int64(unit) {
		return 0, false
	}
	if n < 0 {
		return -1, true
	}
	return time.Duration(n) * unit, true
}

// parseTTL reads "90m", "1h30m", "30d", "never", or a number of seconds.
func parseTTL(text string) (time.Duration, bool) {
	if text == "never" {
		return Never, true
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return times(n, time.Second)
	}
	days, rest, found := strings.Cut(text, "d")
	if !found {
		d, err := time.ParseDuration(text)
		return d, err == nil
	}
	n, err := strconv.ParseInt(days, 10, 64)
	d, ok := times(n, day)
	if err != nil || !ok {
		return 0, false
	}
	if rest == "" {
		return d, true
	}
	more, err := time.ParseDuration(rest)
	return d + more, err == nil && d >= 0 && more >= 0 && more < Never-d
}
